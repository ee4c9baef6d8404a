using Abathur.Client.Tests;
using SC2APIProtocol;
using static Abathur.Client.Nats.Tests.Relayed;

namespace Abathur.Client.Nats.Tests;

/// <summary>Matches on a real NATS server, relayed by the real daemon.</summary>
public sealed class NatsGameTests
{
    [NatsFact]
    public async Task Every_FromTheOldest_IsTheWholeMatch()
    {
        using var server = NatsServer.Run();
        using var daemon = await PlayAsync(server, "--rate", "100");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        var recorded = CommittedRecording.Observations().ToList();
        var read = 0;
        await game.Playback.ResumeAsync();
        await foreach (var frame in game.Frames(Every))
        {
            Assert.Equal((0ul, false, FirstGameLoop + (uint)read), (frame.Dropped, frame.SkippedEventsIncomplete, frame.GameLoop));
            if (read % 20 == 0)
                UnitAssert.Equal(ResponseObservation.Parser.ParseFrom(recorded[read]), frame, isOrdered: false);
            Assert.Equal((ulong)++read, frame.Sequence);
        }
        Assert.Equal(recorded.Count, read);
    }

    [NatsFact]
    public async Task Latest_SlowReader_IsToldAllThatHappened()
    {
        using var server = NatsServer.Run();
        using var daemon = await PlayAsync(server, "--rate", "5");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        // From the oldest on, so that nothing is missed before the first frame.
        await AssertAllIsToldAsync(game, new SubscribeOptions { Start = StartPosition.Oldest }, isSlow: true);
    }

    [NatsFact]
    public async Task EveryGameLoops_HasTheLastFrame_AndAllThatHappened()
    {
        using var server = NatsServer.Run();
        using var daemon = await PlayAsync(server, "--rate", "100");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        var loops = await AssertAllIsToldAsync(game, Every with { EveryGameLoops = 100 }, isSlow: false);
        Assert.Equal([.. Enumerable.Range(0, 14).Select(each => FirstGameLoop + (100 * (uint)each)), LastGameLoop], loops);
    }

    [NatsFact]
    public async Task Start_GivesThePast_AlsoAfterTheMatch()
    {
        using var server = NatsServer.Run();
        using (var daemon = await PlayAsync(server, "--rate", "100"))
        {
            await using var live = await NatsGame.ConnectAsync(server.Match(), Patient);
            await live.Playback.ResumeAsync();
            await daemon.WaitForExitAsync();
        }
        await using var game = await NatsGame.ConnectAsync(server.Match());
        var options = Every with { Start = StartPosition.GameLoop(FirstGameLoop + 300), MaxFrames = 20 };
        var loops = new List<uint>();
        await foreach (var frame in game.Frames(options)) loops.Add(frame.GameLoop);
        Assert.Equal(Enumerable.Range((int)FirstGameLoop + 300, 20), loops.Select(loop => (int)loop));
        var one = await game.FrameAtAsync(FirstGameLoop + 77);
        UnitAssert.Equal(
            ResponseObservation.Parser.ParseFrom(CommittedRecording.Observations().ElementAt(77)), one, isOrdered: false);
        var error = await Assert.ThrowsAsync<RequestException>(() => game.FrameAtAsync(4_000_000));
        Assert.Equal(
            (RequestErrorCode.OutOfRange, $"game loop 4000000 is not kept; kept are {FirstGameLoop} to {LastGameLoop}"),
            (error.Code, error.Reason));
        Assert.Contains("LE", (await game.MatchAsync()).MapName, StringComparison.Ordinal);
        // A match that is over has no live frames.
        await foreach (var _ in game.Frames(new SubscribeOptions { Policy = SubscribePolicy.Every })) Assert.Fail("a frame");
    }

    [NatsFact]
    public async Task Agent_RunsOnAMatch()
    {
        using var server = NatsServer.Run();
        using var daemon = await PlayAsync(server, "--rate", "100");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        var agent = new Counting();
        await game.Playback.ResumeAsync();
        await agent.RunOnAsync(game, Every);
        Assert.Equal((int)(LastGameLoop - FirstGameLoop) + 1, agent.Frames);
    }

    [NatsFact]
    public async Task Requests_AreThoseOfTheDaemon()
    {
        using var server = NatsServer.Run();
        using var daemon = await PlayAsync(server);
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        await game.Playback.StepAsync(50);
        await foreach (var frame in game.Frames(Every with { MaxFrames = 1 })) Assert.Equal(FirstGameLoop, frame.GameLoop);
        while ((await game.StatusAsync()).FramesPublished < 50) await Task.Delay(10);
        Assert.True((await game.TimelineAsync()).GameLoops.Length > 0);
        await game.DrawAsync([Draw.Text(10, 20, "here")]);
        await game.PlotAsync("worth", 3.5);
        Assert.Equal("worth", Assert.Single(await game.PlotsAsync()).Name);
        Assert.NotNull((await game.QueryAsync(new RequestQuery { Pathing = { new RequestQueryPathing() } })).Response);
        Assert.Equal(RequestErrorCode.FailedPrecondition, (await Assert.ThrowsAsync<RequestException>(() => game.ActAsync([]))).Code);
        Assert.Equal(RequestErrorCode.Unimplemented, (await Assert.ThrowsAsync<RequestException>(() => game.PublishAsync())).Code);
        foreach (var ofDaemon in new Func<Task>[] { () => game.MatchesAsync(), () => game.TimelineAsync(runId: "run") })
        {
            var error = await Assert.ThrowsAsync<RequestException>(ofDaemon);
            Assert.Equal(RequestErrorCode.Unimplemented, error.Code);
            Assert.Contains("NATS", error.Reason, StringComparison.Ordinal);
        }
        SubscribeOptions[] impossible =
        [
            Every with { Policy = SubscribePolicy.Lockstep }, Every with { Fields = ["observation"] }, Every with { RunId = "run" },
        ];
        foreach (var refused in impossible)
        {
            var error = await Assert.ThrowsAsync<RequestException>(async () =>
            {
                await foreach (var _ in game.Frames(refused)) Assert.Fail("a frame");
            });
            Assert.Equal(RequestErrorCode.Unimplemented, error.Code);
        }
    }

    /// <summary>Reads a match to its end: what frames have and what they tell of those before them is all that the recording has.</summary>
    private static async Task<List<uint>> AssertAllIsToldAsync(AbathurGame game, SubscribeOptions options, bool isSlow)
    {
        var random = new Random(5);
        var (dead, alerts, chats, loops, frames) = (new List<ulong>(), 0, 0, new List<uint>(), 0ul);
        // The first frame is stored when the reader begins: what happened before a reader's first frame is not told.
        await game.Playback.StepAsync();
        await foreach (var frame in game.Frames(Every with { MaxFrames = 1 })) Assert.Equal(FirstGameLoop, frame.GameLoop);
        await game.Playback.ResumeAsync();
        await foreach (var frame in game.Frames(options))
        {
            loops.Add(frame.GameLoop);
            frames += 1 + frame.Dropped;
            Assert.False(frame.SkippedEventsIncomplete);
            foreach (var each in new[] { frame.SkippedEvents, frame.Rest })
            {
                dead.AddRange(each?.Observation?.RawData?.Event?.DeadUnits ?? []);
                alerts += each?.Observation?.Alerts.Count ?? 0;
                chats += each?.Chat.Count ?? 0;
            }
            if (isSlow) await Task.Delay(random.Next(60));
        }
        var all = CommittedRecording.Observations().Select(ResponseObservation.Parser.ParseFrom).ToList();
        Assert.Equal(all.SelectMany(each => each.Observation.RawData.Event?.DeadUnits ?? []), dead);
        Assert.Equal(all.Sum(each => each.Observation.Alerts.Count), alerts);
        Assert.Equal(all.Sum(each => each.Chat.Count), chats);
        Assert.Equal(LastGameLoop, loops[^1]);
        if (options.EveryGameLoops <= 1) Assert.Equal((ulong)all.Count, frames);
        if (isSlow) Assert.InRange(loops.Count, 2, all.Count - 1);
        return loops;
    }

    private sealed class Counting : Agent
    {
        public int Frames { get; private set; }

        protected override ValueTask OnStep(GameFrame frame)
        {
            Frames++;
            return default;
        }
    }
}
