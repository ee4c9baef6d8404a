using Abathur.Compression;
using Abathur.Mcap;
using Abathur.Recordings.Conversion;

namespace Abathur.Recordings.Tests.Conversion;

public class RecordingRecoveryTests
{
    private static readonly uint[] Loops = Enumerable.Range(0, 12).Select(i => (uint)i).ToArray();

    [Fact]
    public void Recover_CutWithoutCompression_GivesEveryWholeMessage()
    {
        using var folder = new TemporaryFolder();
        var file = RecordingSample.Write(Loops, new RecordingOptions { ChunkSizeBytes = 1024, Compression = McapCompression.None });
        // Where each observation ends in the file: from there on a cut file has it.
        var ends = Loops.Select(
            loop => file.AsSpan().IndexOf(RecordingSample.Observation(loop)) + RecordingSample.Observation(loop).Length).ToArray();
        var (from, to) = (folder.PathTo("cut.mcap"), folder.PathTo("new.mcap"));
        // Each byte: below, without the files around it. Schemas are most of the file, and all alike.
        var lengths = Enumerable.Range(0, file.Length + 1).Where(length => length % 997 == 0
            || (length >= ends[0] - 300 && length <= ends[^1] + 300 && length % 5 == 0));
        foreach (var length in lengths.Concat(ends).Concat([49, file.Length]))
        {
            File.WriteAllBytes(from, file[..length]);
            McapRecoveryResult result;
            try
            {
                result = RecordingRecovery.Recover(from, to, overwrite: true);
            }
            catch (McapException e)
            {
                Assert.True(length < 50, e.Message);
                continue;
            }
            Assert.Equal(ends.Count(end => end <= length), Observations(result));
            Assert.Equal(length == file.Length, result.WasComplete);
            using var mcap = McapReader.Open(to);
            Assert.Null(mcap.Damage);
            if (mcap.Channels.Count == 0) continue;
            using var reader = new RecordingReader(mcap);
            var count = 0u;
            for (; reader.ReadNext(out var observation); count++)
            {
                Assert.Equal(count, observation.GameLoop);
                Assert.Equal(RecordingSample.Observation(count), observation.Payload.ToArray());
            }
            Assert.Equal(Observations(result), count);
        }
        Assert.False(File.Exists(to + ".part"));
    }

    /// <summary>Also of schemas, and of the summary: what the command does between the two files.</summary>
    [Fact]
    public void McapRecovery_CutAtEveryByte_GivesEveryWholeMessage()
    {
        using var folder = new TemporaryFolder();
        var options = new RecordingOptions { ChunkSizeBytes = 1024, Compression = McapCompression.None };
        var loops = Loops[..4];
        var file = RecordingSample.Write(loops, options, hasGameInfo: false);
        var observations = loops.Select(loop => RecordingSample.Observation(loop)).ToArray();
        var ends = observations.Select(observation => file.AsSpan().IndexOf(observation) + observation.Length).ToArray();
        var path = folder.PathTo("cut.mcap");
        File.WriteAllBytes(path, file);
        using var cut = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        using var output = new MemoryStream();
        var last = Array.Empty<byte>();
        for (var length = file.Length; length >= 50; length--)
        {
            cut.SetLength(length);
            output.SetLength(0);
            var result = McapRecovery.Recover(cut, output, options.ToMcap());
            var count = ends.Count(end => end <= length);
            Assert.Equal((count, length == file.Length), (Observations(result), result.WasComplete));
            // The same file as of one byte more has been read already.
            if (output.GetBuffer().AsSpan(0, (int)output.Length).SequenceEqual(last)) continue;
            last = output.ToArray();
            using var recovered = new McapReader(new MemoryStream(last));
            Assert.Null(recovered.Damage);
            using var messages = recovered.ReadMessages();
            var read = 0;
            for (; messages.MoveNext(); read++) Assert.Equal(observations[read], messages.Current.Data.ToArray());
            Assert.Equal(count, read);
        }
    }

    [ZstdFact]
    public void Recover_CutZstdChunk_GivesWhatItsBlocksHold()
    {
        using var folder = new TemporaryFolder();
        var file = RecordingSample.Write(Loops, new RecordingOptions { ChunkSizeBytes = 4 << 20, Level = 1 }, bytes: 100_000);
        var (from, to) = (folder.PathTo("cut.mcap"), folder.PathTo("new.mcap"));
        var most = 0L;
        for (var length = file.Length / 10; length < file.Length; length += file.Length / 10)
        {
            File.WriteAllBytes(from, file[..length]);
            var result = RecordingRecovery.Recover(from, to, overwrite: true);
            Assert.False(result.WasComplete);
            Assert.True(Observations(result) >= most);
            most = Observations(result);
            using var reader = RecordingReader.Open(to);
            for (var loop = 0u; loop < most; loop++)
            {
                Assert.True(reader.ReadNext(out var observation));
                Assert.Equal(RecordingSample.Observation(loop, 100_000), observation.Payload.ToArray());
            }
            Assert.Equal("Testmap LE", reader.Match.MapName);
        }
        Assert.True(most >= 8, $"{most}");
    }

    [Fact]
    public void Recover_GarbageBehindTheLastChunk_GivesAllMessages()
    {
        using var folder = new TemporaryFolder();
        var file = RecordingSample.Write(Loops, new RecordingOptions { ChunkSizeBytes = 1024 });
        using (var reader = RecordingSample.Open(file))
        {
            var index = reader.Mcap.Chunks[^1];
            file = file[..(int)(index.ChunkStartOffset + index.ChunkLength + index.MessageIndexLength)];
        }
        var garbage = new byte[5000];
        new Random(5).NextBytes(garbage);
        File.WriteAllBytes(folder.PathTo("a.mcap"), [.. file, .. garbage]);
        var result = RecordingRecovery.Recover(folder.PathTo("a.mcap"), folder.PathTo("b.mcap"));
        Assert.Equal((12L, false), (Observations(result), result.WasComplete));
        Assert.True(result.LostBytes > 0);
    }

    [Fact]
    public void Recover_DamagedChunkInTheMiddle_LeavesOutThatOneOnly()
    {
        using var folder = new TemporaryFolder();
        var file = RecordingSample.Write(Loops, new RecordingOptions { ChunkSizeBytes = 1024 });
        using (var reader = RecordingSample.Open(file))
        {
            var index = reader.Mcap.Chunks[^2];
            file[(int)(index.ChunkStartOffset + index.ChunkLength) - 1] ^= 0x55;
        }
        File.WriteAllBytes(folder.PathTo("a.mcap"), file);
        var result = RecordingRecovery.Recover(folder.PathTo("a.mcap"), folder.PathTo("b.mcap"));
        Assert.Equal((1L, false), (result.DamagedRecordCount, result.WasComplete));
        Assert.InRange(Observations(result), 6, 11);
    }

    [Fact]
    public void Recover_OutputIsTheInput_Refuses()
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathTo("a.mcap");
        File.WriteAllBytes(path, RecordingSample.Write(Loops));
        Assert.Contains(
            "is also the input", Assert.Throws<RecordingException>(() => RecordingRecovery.Recover(path, path, overwrite: true)).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "exists", Assert.Throws<RecordingException>(() => RecordingRecovery.Recover(path, WriteOther(folder))).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Recover_AnyByteChanged_ThrowsNothingButWhatIsDocumented()
    {
        using var folder = new TemporaryFolder();
        var random = new Random(3);
        foreach (var compression in LibZstd.IsAvailable ? new[] { McapCompression.None, McapCompression.Zstd } : [McapCompression.None])
        {
            var file = RecordingSample.Write(Loops, new RecordingOptions { ChunkSizeBytes = 1024, Compression = compression });
            for (var i = 0; i < 300; i++)
            {
                var damaged = file[..random.Next(file.Length / 2, file.Length + 1)];
                for (var change = 0; change < 3; change++) damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
                File.WriteAllBytes(folder.PathTo("a.mcap"), damaged);
                try
                {
                    RecordingRecovery.Recover(folder.PathTo("a.mcap"), folder.PathTo("b.mcap"), overwrite: true);
                }
                catch (McapException)
                {
                    // Documented.
                }
            }
        }
    }

    private static string WriteOther(TemporaryFolder folder)
    {
        File.WriteAllText(folder.PathTo("other"), "mine");
        return folder.PathTo("other");
    }

    private static long Observations(McapRecoveryResult result) => result.MessagesByTopic.GetValueOrDefault(RecordingTopics.Observation);
}
