using System.Buffers;
using Abathur.Compression;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Mcap.Tests;

public class McapRoundTripTests
{
    private static McapCompression[] Compressions =>
        LibZstd.IsAvailable ? [McapCompression.None, McapCompression.Zstd] : [McapCompression.None];

    [Fact]
    public void WriteMessage_AnyMessages_AreReadBack() =>
        Prop.ForAll<(byte[] Data, ulong LogTime, ulong PublishTime)[], bool>((messages, chunks) =>
            Compressions.All(compression =>
            {
                var options = new McapWriterOptions { ChunkSizeBytes = 1024, Compression = compression, Chunks = chunks };
                using var reader = new McapReader(
                    new MemoryStream(McapSample.Write(messages.Select(m => (m.Data, m.LogTime, m.PublishTime)), options)));
                using var cursor = reader.ReadMessages();
                for (var i = 0; i < messages.Length; i++)
                {
                    if (!cursor.MoveNext()) return false;
                    var m = cursor.Current;
                    if (!m.Data.Span.SequenceEqual(messages[i].Data) || m.LogTime != messages[i].LogTime) return false;
                    if (m.PublishTime != messages[i].PublishTime || m.Sequence != i) return false;
                }
                return !cursor.MoveNext() && reader.Statistics.MessageCount == (ulong)messages.Length && reader.Damage is null;
            })).QuickCheckThrowOnFailure();

    [Fact]
    public void WriteMessage_LargerThanAChunk_HasOneOfItsOwn()
    {
        var large = new byte[100_000];
        new Random(1).NextBytes(large);
        var file = McapSample.Write([(large, 1, 1), (large, 2, 2)], new McapWriterOptions { ChunkSizeBytes = 1024 });
        using var reader = new McapReader(new MemoryStream(file));
        Assert.True(reader.HasSummary);
        Assert.All(reader.Chunks, chunk => Assert.True(chunk.UncompressedSize < 110_000));
        using var cursor = reader.ReadMessages();
        Assert.True(cursor.MoveNext());
        Assert.Equal(large, cursor.Current.Data.ToArray());
    }

    [Fact]
    public void WriteMessage_SequenceOfSegments_IsTheSameAsASpan()
    {
        var first = new Segment([1, 2, 3]);
        var last = first.Append([4, 5]);
        using var output = new MemoryStream();
        using (var writer = new McapWriter(output, leaveOpen: true))
        {
            var channel = writer.AddChannel(0, "t", "raw");
            writer.WriteMessage(channel, 0, 0, 0, new ReadOnlySequence<byte>(first, 0, last, 2));
        }
        using var reader = new McapReader(new MemoryStream(output.ToArray()));
        using var cursor = reader.ReadMessages();
        Assert.True(cursor.MoveNext());
        Assert.Equal([1, 2, 3, 4, 5], cursor.Current.Data.ToArray());
    }

    [Fact]
    public void WriteMessage_SteadyState_AllocatesNothingForIt()
    {
        using var writer = new McapWriter(
            Stream.Null, new McapWriterOptions { ChunkSizeBytes = 1 << 20, Compression = McapCompression.None });
        var channel = writer.AddChannel(0, "t", "raw");
        var data = new byte[60_000];
        WriteAll();
        // The index of each chunk is kept for the summary: some 300 bytes for 18 messages.
        Allocated.AtMost(200 * 100, WriteAll);

        void WriteAll()
        {
            for (var i = 0u; i < 200; i++) writer.WriteMessage(channel, i, i, i, data);
        }
    }

    [Fact]
    public void Cursor_MoveToAChunk_GivesItsMessages()
    {
        var file = McapSample.Write(
            Enumerable.Range(0, 100).Select(i => (new byte[100], (ulong)i, (ulong)i)), new McapWriterOptions { ChunkSizeBytes = 1024 });
        using var reader = new McapReader(new MemoryStream(file));
        using var cursor = reader.ReadMessages();
        foreach (var chunk in reader.Chunks.Reverse().Concat(reader.Chunks))
        {
            cursor.MoveTo((long)chunk.ChunkStartOffset);
            Assert.True(cursor.MoveNext());
            Assert.Equal(chunk.MessageStartTime, cursor.Current.LogTime);
            Assert.Equal((long)chunk.ChunkStartOffset, cursor.BlockOffset);
            // The same again, from memory.
            cursor.MoveTo((long)chunk.ChunkStartOffset);
            Assert.True(cursor.MoveNext());
            Assert.Equal(chunk.MessageStartTime, cursor.Current.LogTime);
        }
        cursor.Rewind();
        for (var i = 0; i < 100; i++)
        {
            Assert.True(cursor.MoveNext());
            Assert.Equal((ulong)i, cursor.Current.LogTime);
        }
        Assert.False(cursor.MoveNext());
        Assert.False(cursor.MoveNext());
    }

    [Fact]
    public void Attachment_AndMetadata_AreReadBackThroughTheIndex()
    {
        using var output = new MemoryStream();
        using (var writer = new McapWriter(output, leaveOpen: true))
        {
            writer.WriteAttachment(new McapAttachment(1, 2, "a.txt", "text/plain", new byte[] { 1, 2, 3 }));
            writer.WriteMetadata(new McapMetadata("m", new Dictionary<string, string> { ["k"] = "ü" }));
        }
        foreach (var bytes in new[] { output.ToArray(), output.ToArray()[..^20] })
        {
            using var reader = new McapReader(new MemoryStream(bytes));
            Assert.Equal(bytes.Length == output.Length, reader.HasSummary);
            Assert.Equal([1, 2, 3], reader.ReadAttachment(Assert.Single(reader.Attachments)).Data.ToArray());
            Assert.Equal("ü", reader.ReadMetadata(Assert.Single(reader.Metadata)).Values["k"]);
        }
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(byte[] data) => Memory = data;

        public Segment Append(byte[] data)
        {
            var next = new Segment(data) { RunningIndex = RunningIndex + Memory.Length };
            Next = next;
            return next;
        }
    }
}
