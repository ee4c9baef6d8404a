using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>Frames of the past, from the history of the real daemon.</summary>
public class RewindTests
{
    private const uint FirstGameLoop = 8_960, LastGameLoop = 10_303;

    [Theory]
    [InlineData(FrameEncoding.Columns, FrameCompression.ZstdStream)]
    [InlineData(FrameEncoding.Proto, FrameCompression.None)]
    [InlineData(FrameEncoding.Json, FrameCompression.None)]
    public async Task Oldest_GivesTheWholeMatchWithoutAGap(FrameEncoding encoding, FrameCompression compression)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "200", "--wait-agents", "1");
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        await UntilAtAsync(game, 200);
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every, Encoding = encoding, Compression = compression, Start = StartPosition.Oldest,
        };
        var expected = FirstGameLoop;
        await foreach (var frame in game.Frames(options)) Assert.Equal((expected++, 0ul), (frame.GameLoop, frame.Dropped));
        Assert.Equal(LastGameLoop + 1, expected);
    }

    [Fact]
    public async Task GameLoop_IsTheFirstFrame()
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "200", "--wait-agents", "1");
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        await UntilAtAsync(game, 200);
        var options = new SubscribeOptions { Start = StartPosition.GameLoop(FirstGameLoop + 100), MaxFrames = 50 };
        var loops = new List<uint>();
        await foreach (var frame in game.Frames(options)) loops.Add(frame.GameLoop);
        Assert.Equal(Enumerable.Range((int)FirstGameLoop + 100, 50), loops.Select(loop => (int)loop));
    }

    [Fact]
    public async Task FrameAt_IsTheObservationOfThatGameLoop()
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "200", "--wait-agents", "1");
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        await UntilAtAsync(game, 200);
        var frame = await game.FrameAtAsync(FirstGameLoop + 77);
        var expected = ResponseObservation.Parser.ParseFrom(CommittedRecording.Observations().ElementAt(77));
        UnitAssert.Equal(expected, frame, isOrdered: false);
        var error = await Assert.ThrowsAsync<RequestException>(() => game.FrameAtAsync(4_000_000));
        Assert.Equal("OUT_OF_RANGE", error.Code);
    }

    [Fact]
    public async Task BrokenConnection_GoesOnAfterTheLastFrame()
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "200", "--wait-agents", "1");
        using var relay = new BreakingRelay(daemon.Socket);
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        await using var broken = await AbathurGame.ConnectAsync(relay.Address);
        await UntilAtAsync(game, 300);
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every, Encoding = FrameEncoding.Columns, Compression = FrameCompression.ZstdStream,
            Start = StartPosition.Oldest, Credits = 4, MaxFrames = 200,
        };
        var (loops, reconnections) = (new List<uint>(), 0);
        await foreach (var frame in broken.Frames(options))
        {
            loops.Add(frame.GameLoop);
            reconnections += frame.Reconnected ? 1 : 0;
            if (loops.Count is 50 or 120) relay.Break();
        }
        Assert.Equal(Enumerable.Range((int)FirstGameLoop, 200), loops.Select(loop => (int)loop));
        Assert.Equal(2, reconnections);
    }

    private static async Task UntilAtAsync(AbathurGame game, uint frames)
    {
        while ((await game.StatusAsync()).FramesPublished < frames) await Task.Yield();
    }
}
