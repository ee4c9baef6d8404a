using System.Buffers;
using Abathur.Recordings;
using Abathur.Recordings.Files;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Tests.Cli;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Tests.Matches.Recording;

public sealed class MatchRecorderTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ListLogger _told = new();

    private string Place => _folder.PathTo("match.mcap");

    private string Part => Place + ".part";

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Dispose_WhatWasAdded_IsInTheFile()
    {
        await using (var recorder = Recorder(Place))
        {
            recorder.Begin(RecordingSample.Match);
            recorder.AddGameInfo(1, new ResponseGameInfo { MapName = "Testmap LE" }.ToByteArray());
            recorder.AddGameData(1, new ResponseData().ToByteArray());
            for (var loop = 1u; loop <= 100; loop++)
            {
                Add(recorder, loop);
                recorder.AddActions(loop, loop, new RequestAction().ToByteArray());
            }
            recorder.AddEvent(101, new V1.Event { GameLoop = 100, MatchEnded = new() });
            await recorder.DisposeAsync();
            Assert.Equal(new V1.RecordingStatus { Path = Place, Frames = 100 }, recorder.Status);
            // Too late: only this frame is dropped.
            Add(recorder, 101);
            Assert.Equal(1ul, recorder.Status.FramesDropped);
        }
        using var reader = RecordingSample.Open(File.ReadAllBytes(Place));
        Assert.Equal((100L, 1u, 100u, false), (reader.FrameCount, reader.FirstGameLoop, reader.LastGameLoop, reader.Truncated));
        Assert.True(reader.ReadNext(out var first));
        Assert.Equal(RecordingSample.Observation(1), first.Payload.ToArray());
        Assert.False(File.Exists(Part));
        Assert.Empty(_told.Messages);
    }

    [Fact]
    public async Task Dispose_NothingBegun_LeavesNoFile()
    {
        await using (var recorder = Recorder(Place))
        {
            Assert.True(File.Exists(Part));
            Add(recorder, 1);
        }
        Assert.False(File.Exists(Place) || File.Exists(Part));
    }

    [Fact]
    public async Task Add_DiskFull_IsToldOnceAndTheRestIsMissed()
    {
        if (!File.Exists("/dev/full")) return;
        await using var recorder = Recorder("/dev/full", new RecordingOptions { ChunkSizeBytes = 4096 });
        recorder.Begin(RecordingSample.Match);
        for (var loop = 1u; loop <= 200; loop++) Add(recorder, loop);
        // Who waits for room is not left waiting.
        await recorder.WaitForRoomAsync();
        await recorder.DisposeAsync();
        var status = recorder.Status;
        Assert.Equal(200ul, status.Frames + status.FramesDropped);
        Assert.True(status.FramesDropped > 0);
        Assert.NotEmpty(status.Error);
        Assert.Contains("The match continues without it", Assert.Single(_told.Messages), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, 20u)]
    [InlineData(0, 0u)]
    [InlineData(5000, 20u)]
    public async Task Add_FileTruncatedByAnotherProgram_IsTold(int bytesLeft, uint framesAfter)
    {
        await using var recorder = Recorder(Place, new RecordingOptions { ChunkSizeBytes = 4096 });
        recorder.Begin(RecordingSample.Match);
        for (var loop = 1u; loop <= 100; loop++) Add(recorder, loop);
        await CliProcess.UntilAsync(() => recorder.Status.Frames >= 100);
        using (var other = new FileStream(Place + ".part", FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete))
            other.SetLength(bytesLeft);
        for (var loop = 101u; loop <= 100 + framesAfter; loop++) Add(recorder, loop);
        await recorder.DisposeAsync();
        var status = recorder.Status;
        Assert.Contains("another program has truncated", status.Error, StringComparison.Ordinal);
        // Which frames are left is not known.
        Assert.Equal((0ul, 100ul + framesAfter), (status.Frames, status.FramesDropped));
        Assert.Contains("what is left of it is in", Assert.Single(_told.Messages), StringComparison.Ordinal);
        Assert.Equal((false, bytesLeft), (File.Exists(Place), (int)new FileInfo(Place + ".part").Length));
    }

    [Fact]
    public async Task Dispose_PlaceTakenByAFolder_SavesTheRecordingBesideIt()
    {
        await using var recorder = Recorder(Place);
        recorder.Begin(RecordingSample.Match);
        Add(recorder, 1);
        Directory.CreateDirectory(Place);
        await recorder.DisposeAsync();
        var saved = _folder.PathTo("match-1.mcap");
        Assert.Contains(saved, Assert.Single(_told.Messages), StringComparison.Ordinal);
        Assert.Equal((saved, true, false), (recorder.Status.Path, recorder.IsComplete, recorder.Status.Error.Length == 0));
        using var reader = RecordingSample.Open(File.ReadAllBytes(saved));
        Assert.Equal(1L, reader.FrameCount);
    }

    [Fact]
    public async Task Add_MoreThanMayWait_IsMissedAndCounted()
    {
        var observation = SharedBuffer.Rent(1 << 20);
        observation.Write(new byte[1 << 20]);
        await using var recorder = Recorder(Place);
        // Nothing is written before the match is known.
        for (var loop = 1u; loop <= 200; loop++) recorder.AddObservation(loop, loop, observation);
        var missed = recorder.Status.FramesDropped;
        Assert.InRange(missed, 200ul - (MatchRecorder.MaxWaitingBytes >> 20), 199ul);
        var room = recorder.WaitForRoomAsync();
        Assert.False(room.IsCompleted);
        recorder.Begin(RecordingSample.Match);
        await room;
        await recorder.DisposeAsync();
        Assert.Equal((200 - missed, missed), (recorder.Status.Frames, recorder.Status.FramesDropped));
        observation.Release();
    }

    [Fact]
    public async Task Add_ManySmallOnes_AreBoundedByTheirMemory()
    {
        await using var recorder = Recorder(Place);
        for (var loop = 1u; loop <= 40_000; loop++) Add(recorder, loop);
        Assert.InRange(recorder.Status.FramesDropped, 40_000ul - (MatchRecorder.MaxWaitingBytes / 4096), 40_000ul);
    }

    [Fact]
    public void Create_PlaceThatCannotBeWritten_IsToldAtOnce() =>
        Assert.Throws<RecordingException>(() => Recorder(_folder.PathTo("nowhere/match.mcap")));

    private MatchRecorder Recorder(string path, RecordingOptions? options = null) =>
        new(new OutputFile(path), options ?? new RecordingOptions(), _told);

    private static void Add(MatchRecorder recorder, uint loop)
    {
        var buffer = SharedBuffer.Rent();
        buffer.Write(RecordingSample.Observation(loop));
        recorder.AddObservation(loop, loop, buffer);
        buffer.Release();
    }
}
