using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>Frames of the past, from the history of the real daemon.</summary>
public class RewindTests
{
    private const uint FirstGameLoop = 8_960, LastGameLoop = 10_303;
    // An unlimited playback keeps no history.
    private static readonly string[] PausedPlay = ["play", CommittedRecording.Path, "--rate", "1000", "--start-paused"];

    [Theory]
    [InlineData("socket", FrameEncoding.Columns, FrameCompression.ZstdStream)]
    [InlineData("socket", FrameEncoding.Proto, FrameCompression.None)]
    [InlineData("socket", FrameEncoding.Json, FrameCompression.None)]
    [InlineData("grpc", FrameEncoding.Columns, FrameCompression.ZstdStream)]
    public async Task Oldest_GivesTheWholeMatchWithoutAGap(string transport, FrameEncoding encoding, FrameCompression compression)
    {
        using var daemon = await DaemonProcess.StartAsync(PausedPlay);
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await StepAsync(game, 200);
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every,
            Encoding = encoding,
            Compression = compression,
            Start = StartPosition.Oldest,
        };
        var expected = FirstGameLoop;
        await foreach (var frame in game.Frames(options))
        {
            Assert.Equal((expected++, 0ul), (frame.GameLoop, frame.Dropped));
            // The live frames join those of the past.
            if (frame.GameLoop == FirstGameLoop + 50) await game.Playback.ResumeAsync();
        }
        Assert.Equal(LastGameLoop + 1, expected);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task GameLoop_IsTheFirstFrame(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync(PausedPlay);
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await StepAsync(game, 200);
        var options = new SubscribeOptions { Start = StartPosition.GameLoop(FirstGameLoop + 100), MaxFrames = 50 };
        var loops = new List<uint>();
        await foreach (var frame in game.Frames(options)) loops.Add(frame.GameLoop);
        Assert.Equal(Enumerable.Range((int)FirstGameLoop + 100, 50), loops.Select(loop => (int)loop));
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task FrameAt_IsTheObservationOfThatGameLoop(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync(PausedPlay);
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await StepAsync(game, 200);
        var frame = await game.FrameAtAsync(FirstGameLoop + 77);
        var expected = ResponseObservation.Parser.ParseFrom(CommittedRecording.Observations().ElementAt(77));
        UnitAssert.Equal(expected, frame, isOrdered: false);
        var error = await Assert.ThrowsAsync<RequestException>(() => game.FrameAtAsync(4_000_000));
        Assert.Equal(RequestErrorCode.OutOfRange, error.Code);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Timeline_HasTheNumbersOfTheObservations(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync(PausedPlay);
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await StepAsync(game, 400);
        var timeline = await game.TimelineAsync();
        Assert.True(timeline.GameLoops.Length >= 400 / 22);
        var observations = CommittedRecording.Observations().Take(400).Select(ResponseObservation.Parser.ParseFrom)
            .ToDictionary(each => each.Observation.GameLoop, each => each.Observation.PlayerCommon);
        var compared = 0;
        for (var row = 0; row < timeline.GameLoops.Length; row++)
        {
            if (!observations.TryGetValue(timeline.GameLoops[row], out var player)) continue;
            Assert.Equal(((float)player.Minerals, (float)player.FoodUsed), (timeline["minerals"][row], timeline["food_used"][row]));
            compared++;
        }
        Assert.InRange(compared, 400 / 22, int.MaxValue);
        var after = timeline.GameLoops[5];
        Assert.Equal(timeline.GameLoops[6], (await game.TimelineAsync(after)).GameLoops[0]);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task HistoryThatIsOff_IsARefusal(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--history-mb", "0", "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await StepAsync(game, 3);
        var error = await Assert.ThrowsAsync<RequestException>(() => game.FrameAtAsync(FirstGameLoop));
        Assert.Equal(RequestErrorCode.FailedPrecondition, error.Code);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task BrokenConnection_GoesOnAfterTheLastFrame(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync(PausedPlay);
        using var relay = new BreakingRelay(daemon.Address(transport).Split("//")[1]);
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await using var broken = await AbathurGame.ConnectAsync($"{transport}://{relay.Address}");
        await StepAsync(game, 300);
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every,
            Encoding = FrameEncoding.Columns,
            Compression = FrameCompression.ZstdStream,
            Start = StartPosition.Oldest,
            Credits = 4,
            MaxFrames = 200,
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

    private static async Task StepAsync(AbathurGame game, uint frames)
    {
        await game.Playback.StepAsync(frames);
        while ((await game.StatusAsync()).FramesPublished < frames) await Task.Delay(10);
    }
}
