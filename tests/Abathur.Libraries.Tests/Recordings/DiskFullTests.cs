using Abathur.Mcap;
using Abathur.Recordings.Conversion;

namespace Abathur.Recordings.Tests;

public class DiskFullTests
{
    [Fact]
    public void RecordingWriter_DiskFull_ThrowsOnceAndLeavesWhatIsWhole()
    {
        var options = new RecordingOptions { ChunkSizeBytes = 4096, Compression = McapCompression.None };
        var roomy = new SmallDisk(int.MaxValue);
        using (var all = new RecordingWriter(roomy, RecordingSample.Match, options, leaveOpen: true))
        {
            for (var loop = 0u; loop < 100; loop++) all.WriteObservation(loop, loop, RecordingSample.Observation(loop));
        }
        var needed = (int)roomy.Length;
        for (var room = 0; room < needed; room += needed / 40)
        {
            var disk = new SmallDisk(room);
            var failures = 0;
            RecordingWriter? writer = null;
            try
            {
                writer = new RecordingWriter(disk, RecordingSample.Match, options, leaveOpen: true);
                for (var loop = 0u; loop < 100; loop++) writer.WriteObservation(loop, loop, RecordingSample.Observation(loop));
                writer.Close();
            }
            catch (IOException e)
            {
                Assert.Contains("cannot write", e.Message, StringComparison.Ordinal);
                Assert.Contains("disk full", e.Message, StringComparison.Ordinal);
                failures++;
            }
            writer?.Dispose();
            Assert.Equal(1, failures);
            CheckWhatIsLeft(disk, room);
        }
    }

    [Fact]
    public void Dispose_FirstToFail_Throws()
    {
        var writer = new RecordingWriter(new SmallDisk(1000), RecordingSample.Match, leaveOpen: true);
        writer.WriteObservation(1, 1, RecordingSample.Observation(1));
        Assert.Throws<IOException>(writer.Dispose);
        writer.Dispose();
    }

    [Fact]
    public void RecordingWriter_DevFull_NamesThePath()
    {
        if (!File.Exists("/dev/full")) return;
        var error = Assert.Throws<IOException>(() => RecordingWriter.Create("/dev/full", RecordingSample.Match));
        Assert.Contains("/dev/full", error.Message, StringComparison.Ordinal);
    }

    private static void CheckWhatIsLeft(SmallDisk disk, int room)
    {
        var file = disk.ToArray();
        Assert.True(file.Length <= room);
        using var folder = new TemporaryFolder();
        File.WriteAllBytes(folder.PathTo("a.mcap"), file);
        McapRecoveryResult result;
        try
        {
            result = RecordingRecovery.Recover(folder.PathTo("a.mcap"), folder.PathTo("b.mcap"));
        }
        catch (McapException e)
        {
            Assert.True(room < 200, e.Message);
            return;
        }
        // No record is cut: what failed was taken back.
        Assert.Equal((0L, 0L, 0L), (result.CutChunkMessageCount, result.DamagedRecordCount, result.LostBytes));
        var observations = result.MessagesByTopic.GetValueOrDefault("/observation");
        // All that fits is there: at most one chunk and the end of the file are missing.
        Assert.True(observations == 100 || observations * 260 > room - 60_000, $"{observations} observations in {room} bytes");
    }

    // Takes part of the write that does not fit, as a disk does.
    private sealed class SmallDisk(int room) : MemoryStream
    {
        public override void Write(ReadOnlySpan<byte> buffer)
        {
            var fits = (int)Math.Min(buffer.Length, Math.Max(0, room - Position));
            base.Write(buffer[..fits].ToArray(), 0, fits);
            if (fits < buffer.Length) throw new IOException("disk full");
        }

        public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));
    }
}
