using System.Buffers;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Recordings.Conversion;
using Abathur.Recordings.Files;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Matches.Recording;

namespace Abathur.Sync.Tests.Matches.Recording;

/// <summary>What a recording is worth whose disk fails at any place.</summary>
public sealed class FailedWriteTests : IDisposable
{
    private const uint Observations = 12;
    private static readonly RecordingOptions Small = new() { ChunkSizeBytes = 1024, Compression = McapCompression.None };
    private readonly TemporaryFolder _folder = new();

    private string Place => _folder.PathTo("match.mcap");

    private string Part => Place + ".part";

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Write_RoomForAnyNumberOfBytes_LeavesAWholeFileOrOneThatRecovers()
    {
        await RecordAsync(file => new FailingStream(file));
        var whole = File.ReadAllBytes(Place);
        // Every byte of what differs; schemas, here and in the summary, are long and all alike.
        var first = whole.AsSpan().IndexOf(RecordingSample.Observation(1));
        var last = whole.AsSpan().IndexOf(RecordingSample.Observation(Observations));
        var (ended, unended) = (0, 0);
        foreach (var room in Runs.Cuts(whole.Length))
        {
            if (((room > 300 && room < first - 300) || (room > last + 600 && room < whole.Length - 300)) && room % 997 != 0) continue;
            var status = await RecordAsync(file => new FailingStream(file) { MostBytes = room });
            Assert.NotEmpty(status.Error);
            if (!File.Exists(Part)) continue;
            Assert.True(new FileInfo(Part).Length <= room);
            if (CheckLeft(status)) ended++;
            else unended++;
        }
        // An end without a summary takes some 60 bytes: what is left without one is rare.
        Assert.True(ended > 10 * unended && unended > 0, $"{ended} whole, {unended} not");
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, true)]
    [InlineData(true, false)]
    public async Task Write_AnyOneFails_CountsAddUp(bool staysBroken, bool canBeCut)
    {
        var failed = 0;
        while (true)
        {
            var status = await RecordAsync(
                file => new FailingStream(file) { FailingWrite = failed + 1, StaysBroken = staysBroken, CanBeCut = canBeCut });
            if (status.Error.Length == 0) break;
            failed++;
            if (!File.Exists(Part)) continue;
            Assert.Equal(!staysBroken, CheckLeft(status, isCut: canBeCut));
        }
        // The header, the metadata, four chunks, the end.
        Assert.True(failed >= 6, $"{failed}");
    }

    /// <summary>True for a file that is whole, with the observations that the status says; else recovery must give them.</summary>
    private bool CheckLeft(V1.RecordingStatus status, bool isCut = true)
    {
        bool isWhole;
        using (var mcap = McapReader.Open(Part)) isWhole = mcap.Damage is null;
        var path = Part;
        if (!isWhole)
        {
            path = _folder.PathTo("recovered.mcap");
            RecordingRecovery.Recover(Part, path, overwrite: true);
        }
        using var reader = RecordingReader.Open(path);
        var loops = RecordingSample.ReadLoops(reader);
        Assert.Equal(Enumerable.Range(1, loops.Count).Select(loop => (uint)loop), loops);
        // A chunk that could not be cut off may give more than was counted.
        if (isCut) Assert.Equal(status.Frames, (ulong)loops.Count);
        else Assert.True((ulong)loops.Count >= status.Frames);
        return isWhole;
    }

    private async Task<V1.RecordingStatus> RecordAsync(Func<Stream, Stream> disk)
    {
        File.Delete(Place);
        File.Delete(Part);
        var told = new ListLogger();
        var output = new OutputFile(Place, new OutputOptions { Overwrite = true });
        await using var recorder = new MatchRecorder(output, disk(output.Stream), Small, told, TimeProvider.System);
        recorder.Begin(RecordingSample.Match);
        for (var loop = 1u; loop <= Observations; loop++)
        {
            var buffer = SharedBuffer.Rent();
            buffer.Write(RecordingSample.Observation(loop));
            recorder.AddObservation(loop, loop, buffer);
            buffer.Release();
        }
        await recorder.DisposeAsync();
        var status = recorder.Status;
        Assert.Equal(Observations, status.Frames + status.FramesDropped);
        if (status.Error.Length == 0)
        {
            Assert.Empty(told.Messages);
            Assert.Equal((Observations, true, false), (status.Frames, File.Exists(Place), File.Exists(Part)));
            return status;
        }
        var line = Assert.Single(told.Messages);
        Assert.DoesNotContain('\n', line);
        Assert.False(File.Exists(Place));
        // What it says of the file is true.
        if (!File.Exists(Part))
        {
            Assert.Equal(0ul, status.Frames);
            Assert.EndsWith("nothing of it was kept", line, StringComparison.Ordinal);
            return status;
        }
        using var mcap = McapReader.Open(Part);
        Assert.Contains(
            mcap.Damage is null ? $"is complete in {Part}" : $"{Part}, which has no end (`abathur-sync recover`", line,
            StringComparison.Ordinal);
        return status;
    }
}
