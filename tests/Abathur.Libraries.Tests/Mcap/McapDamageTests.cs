using System.Buffers.Binary;
using Abathur.Compression;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Mcap.Tests;

public class McapDamageTests
{
    private static readonly McapReaderOptions SmallLimits = new() { MaxChunkBytes = 1 << 20, MaxRecordBytes = 1 << 20 };

    [Fact]
    public void McapReader_CutAtEveryByte_GivesAPrefixOrSaysWhy()
    {
        var file = Sample(McapCompression.None);
        for (var length = 0; length < file.Length; length++)
        {
            McapReader reader;
            try
            {
                reader = new McapReader(new MemoryStream(file, 0, length), SmallLimits);
            }
            catch (McapException e)
            {
                Assert.True(length < 100, e.Message);
                continue;
            }
            using (reader)
            {
                Assert.NotNull(reader.Damage);
                using var cursor = reader.ReadMessages();
                var count = 0u;
                while (cursor.MoveNext()) Assert.Equal(count++, cursor.Current.Sequence);
                Assert.Equal(reader.Statistics.MessageCount, count);
            }
        }
    }

    [Fact]
    public void McapReader_NoIndexAndMoreThanMayBeScanned_ReadsWhatIsWithinTheLimit()
    {
        var file = Sample(McapCompression.None)[..^20];
        using var whole = new McapReader(new MemoryStream(file));
        using var limited = new McapReader(new MemoryStream(file), new McapReaderOptions { MaxScannedBytes = 1 });
        Assert.Contains("more than 1 bytes after decompression", limited.Damage, StringComparison.Ordinal);
        Assert.True(limited.Statistics.MessageCount < whole.Statistics.MessageCount);
    }

    [Fact]
    public void McapReader_AnyByteChanged_NeitherCrashesNorTakesMemory()
    {
        foreach (var compression in LibZstd.IsAvailable ? new[] { McapCompression.None, McapCompression.Zstd } : [McapCompression.None])
        {
            var file = Sample(compression);
            Prop.ForAll(
                Gen.ArrayOf(Gen.Zip(Gen.Choose(0, file.Length - 1), Gen.Choose(0, 255)), 3).ToArbitrary(),
                changes =>
                {
                    var damaged = file.ToArray();
                    foreach (var (at, value) in changes) damaged[at] = (byte)value;
                    Allocated.AtMost(8 << 20, () => ReadAll(damaged));
                }).Check(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(2000)));
        }
    }

    [Fact]
    public void McapReader_EveryLengthMadeHuge_NeitherCrashesNorTakesMemory()
    {
        var file = Sample(McapCompression.None);
        for (var at = 0; at < file.Length - 8; at++)
        {
            var damaged = file.ToArray();
            BinaryPrimitives.WriteUInt64LittleEndian(damaged.AsSpan(at), at % 2 == 0 ? ulong.MaxValue : int.MaxValue);
            ReadAll(damaged);
        }
    }

    [Theory]
    [InlineData("", "is empty")]
    [InlineData("hello, this is text", "is not an MCAP file")]
    [InlineData("\x89MCAP0\r\n", "is truncated inside its Header record")]
    public void McapReader_NotMcap_SaysSo(string text, string expected)
    {
        var error = Assert.Throws<McapException>(() => new McapReader(new MemoryStream(System.Text.Encoding.Latin1.GetBytes(text))));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void McapReader_Lz4Chunk_NamesLz4()
    {
        var file = WithCompressionName(Sample(McapCompression.None), "lz4");
        var error = Assert.Throws<McapException>(() => new McapReader(new MemoryStream(file)));
        Assert.Contains("\"lz4\"", error.Message, StringComparison.Ordinal);
        Assert.True(error.IsUnsupported);
    }

    [Fact]
    public void McapReader_ChunkWithWrongCrc_SaysWhere()
    {
        var file = Sample(McapCompression.None);
        using var whole = new McapReader(new MemoryStream(file));
        var chunk = (int)whole.Chunks[1].ChunkStartOffset;
        file[chunk + (int)whole.Chunks[1].ChunkLength - 1] ^= 1;
        using var reader = new McapReader(new MemoryStream(file));
        using var cursor = reader.ReadMessages();
        cursor.MoveTo(chunk);
        var error = Assert.Throws<McapException>(() => cursor.MoveNext());
        Assert.Equal(chunk, error.Offset);
        Assert.Contains($"chunk at offset {chunk} is damaged", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void McapReader_SummaryWithWrongCrc_GoesThroughTheFile()
    {
        var file = Sample(McapCompression.None);
        file[^30] ^= 1;
        using var reader = new McapReader(new MemoryStream(file));
        Assert.False(reader.HasSummary);
        Assert.Equal(40ul, reader.Statistics.MessageCount);
    }

    private static void ReadAll(byte[] file)
    {
        try
        {
            using var reader = new McapReader(new MemoryStream(file), SmallLimits);
            using var cursor = reader.ReadMessages();
            while (cursor.MoveNext()) { }
            foreach (var index in reader.Metadata) reader.ReadMetadata(index);
            foreach (var index in reader.Attachments) reader.ReadAttachment(index);
            foreach (var _ in reader.ReadRecords()) { }
        }
        catch (McapException)
        {
            // The one that is documented.
        }
    }

    private static byte[] Sample(McapCompression compression)
    {
        using var output = new MemoryStream();
        using (var writer = new McapWriter(
            output, new McapWriterOptions { ChunkSizeBytes = 1024, Compression = compression }, leaveOpen: true))
        {
            writer.WriteMetadata(new McapMetadata("m", new Dictionary<string, string> { ["k"] = "v" }));
            var schema = writer.AddSchema("test.Bytes", "none", new byte[] { 1, 2, 3 });
            var channel = writer.AddChannel(schema, "/test", "bytes");
            for (var i = 0u; i < 40; i++) writer.WriteMessage(channel, i, i, i, new byte[60]);
            writer.WriteAttachment(new McapAttachment(1, 2, "a", "b", new byte[] { 1, 2, 3 }));
        }
        return output.ToArray();
    }

    private static byte[] WithCompressionName(byte[] file, string name)
    {
        using var reader = new McapReader(new MemoryStream(file));
        var start = (int)reader.Chunks[0].ChunkStartOffset;
        var bytes = file.ToList();
        // opcode 1, length 8, times 16, size 8, CRC 4, then the length of the name.
        bytes[start + 37] = (byte)name.Length;
        bytes.InsertRange(start + 41, System.Text.Encoding.ASCII.GetBytes(name));
        bytes[start + 1] += (byte)name.Length;
        // Cut behind that chunk, so that no index says otherwise.
        return bytes[..(start + (int)reader.Chunks[0].ChunkLength + name.Length)].ToArray();
    }
}
