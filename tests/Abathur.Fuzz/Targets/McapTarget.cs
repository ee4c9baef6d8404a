using Abathur.Compression;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Recordings.Conversion;
using Abathur.Recordings.Tests;
using Abathur.Sc2;

namespace Abathur.Fuzz.Targets;

/// <summary>Files: the MCAP reader, the recording on it, and recovery, whose output must be whole whatever its input was.</summary>
internal sealed class McapTarget : IFuzzTarget
{
    private static readonly McapReaderOptions Limits = new() { MaxChunkBytes = 1 << 20, MaxRecordBytes = 1 << 20 };
    private readonly TemporaryFolder _folder = new();

    public string Name => "mcap";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        McapFormat.Magic.ToArray(), [6], [5], [7, 0, 0, 0, 0, 0, 0, 0, 0], [2, 20, 0, 0, 0, 0, 0, 0, 0], [
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F,
        ],
        "zstd"u8.ToArray(), "lz4"u8.ToArray(), "/observation"u8.ToArray(), [0x28, 0xB5, 0x2F, 0xFD],
    ];

    public int MaxBytes => 20_000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        var compressions = LibZstd.IsAvailable ? new[] { McapCompression.None, McapCompression.Zstd } : [McapCompression.None];
        foreach (var compression in compressions)
        {
            foreach (var chunk in new[] { 1024, 4096 })
            {
                yield return Write(new McapWriterOptions { ChunkSizeBytes = chunk, Compression = compression }, close: true);
                yield return Write(new McapWriterOptions { ChunkSizeBytes = chunk, Compression = compression }, close: false);
            }
        }
    }

    public int Run(byte[] input)
    {
        var outcome = new HashCode();
        outcome.Add(Check.Within((8L << 20) + (100L * input.Length), () => ReadAll(input)));
        outcome.Add(ReadRecording(input));
        outcome.Add(Recover(input));
        return outcome.ToHashCode();
    }

    public void Dispose() => _folder.Dispose();

    private static int ReadAll(byte[] file)
    {
        var count = 0L;
        try
        {
            using var reader = new McapReader(new MemoryStream(file), Limits);
            using (var cursor = reader.ReadMessages())
            {
                while (cursor.MoveNext()) count++;
            }
            // Without a summary the file itself was counted.
            if (!reader.HasSummary)
                Check.That((ulong)count == reader.Statistics.MessageCount, $"{count} messages of {reader.Statistics.MessageCount}");
            foreach (var index in reader.Metadata) reader.ReadMetadata(index);
            foreach (var index in reader.Attachments) reader.ReadAttachment(index);
            foreach (var _ in reader.ReadRecords())
            {
                // Each must be readable, or the one exception comes.
            }
            return HashCode.Combine(count, reader.HasSummary, reader.Damage is null);
        }
        catch (McapException e)
        {
            return HashCode.Combine(count, Letters(e));
        }
    }

    private static int ReadRecording(byte[] file)
    {
        var count = 0;
        try
        {
            using var reader = new RecordingReader(new McapReader(new MemoryStream(file), Limits));
            while (reader.ReadNext(out _)) count++;
            reader.SeekToGameLoop(reader.LastGameLoop);
            reader.ReadNext(out _);
            return count;
        }
        catch (Exception e) when (e is McapException or RecordingException)
        {
            return HashCode.Combine(count, Letters(e));
        }
    }

    private int Recover(byte[] file)
    {
        var (from, to) = (_folder.PathTo("from.mcap"), _folder.PathTo("to.mcap"));
        File.WriteAllBytes(from, file);
        McapRecoveryResult result;
        try
        {
            result = RecordingRecovery.Recover(from, to, overwrite: true);
        }
        catch (McapException e)
        {
            return Letters(e);
        }
        using var recovered = McapReader.Open(to);
        Check.That(recovered.Damage is null && recovered.HasSummary, $"what was recovered is damaged: {recovered.Damage}");
        using var cursor = recovered.ReadMessages();
        var count = 0L;
        while (cursor.MoveNext()) count++;
        Check.That(count == result.MessageCount, $"{count} messages of {result.MessageCount} are in the recovered file");
        return HashCode.Combine(count, result.DamagedRecordCount, result.CutChunkMessageCount, result.WasComplete);
    }

    private static int Letters(Exception e) => string.Concat(e.Message.Where(char.IsAsciiLetter)).GetHashCode(StringComparison.Ordinal);

    // As a recording, but for its schema: the real one has 40 KB, and mutations would fall there and nowhere else.
    private static byte[] Write(McapWriterOptions options, bool close)
    {
        var output = new MemoryStream();
        var writer = new McapWriter(output, options, leaveOpen: true);
        writer.WriteMetadata(RecordingSample.Match.ToMetadata());
        var schema = writer.AddSchema("SC2APIProtocol.ResponseObservation", "protobuf", new byte[] { 1, 2, 3 });
        var channel = writer.AddChannel(schema, RecordingTopics.Observation, "protobuf", new Dictionary<string, string> { ["a"] = "b" });
        for (var loop = 0u; loop < 12; loop++)
            writer.WriteMessage(channel, loop, loop, GameTime.ToNanoseconds(loop), RecordingSample.Observation(loop, 30));
        writer.WriteAttachment(new McapAttachment(1, 2, "notes.txt", "text/plain", new byte[] { 1, 2, 3 }));
        if (close) writer.Dispose();
        else writer.Flush();
        var file = output.ToArray();
        if (!close) writer.Dispose();
        return file;
    }
}
