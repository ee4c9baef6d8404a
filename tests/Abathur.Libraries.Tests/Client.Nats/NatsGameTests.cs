using System.Text.RegularExpressions;
using Abathur.Client.Tests;
using SC2APIProtocol;

namespace Abathur.Client.Nats.Tests;

/// <summary>Matches on a real NATS server, relayed by the real daemon.</summary>
public sealed partial class NatsGameTests
{
    private const uint FirstGameLoop = 8_960, LastGameLoop = 10_303;
    private static readonly ConnectOptions Patient = new() { Wait = TimeSpan.FromSeconds(30) };
    private static readonly SubscribeOptions Every = new() { Policy = SubscribePolicy.Every, Start = StartPosition.Oldest };

    [NatsFact]
    public async Task Every_FromTheOldest_IsTheWholeMatchAsTheDaemonHasIt()
    {
        using var server = NatsServer.Run();
        using var daemon = await RelayedAsync(server, "--rate", "100");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        await using var direct = await AbathurGame.ConnectAsync(daemon.Socket);
        var columns = Every with { Encoding = FrameEncoding.Columns, Compression = FrameCompression.ZstdStream };
        var expected = Task.Run(async () =>
        {
            var found = new Dictionary<uint, byte[]>();
            await foreach (var frame in direct.Frames(columns)) found[frame.GameLoop] = frame.ObservationBytes.ToArray();
            return found;
        });
        var loops = new List<uint>();
        var given = new Dictionary<uint, byte[]>();
        // Both read from the oldest on.
        await game.ControlAsync(PlaybackControl.Resume());
        await foreach (var frame in game.Frames(Every))
        {
            loops.Add(frame.GameLoop);
            Assert.Equal((0ul, (ulong)loops.Count, false), (frame.Dropped, frame.Sequence, frame.SkippedEventsIncomplete));
            given[frame.GameLoop] = frame.ObservationBytes.ToArray();
        }
        Assert.Equal(Enumerable.Range((int)FirstGameLoop, (int)(LastGameLoop - FirstGameLoop) + 1), loops.Select(loop => (int)loop));
        Assert.Equal((await expected).OrderBy(each => each.Key), given.OrderBy(each => each.Key));
    }

    [NatsFact]
    public async Task Latest_SlowReader_IsToldAllThatHappened()
    {
        using var server = NatsServer.Run();
        using var daemon = await RelayedAsync(server, "--rate", "5");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        // From the oldest on, so that nothing is missed before the first frame.
        await AssertAllIsToldAsync(game, new SubscribeOptions { Start = StartPosition.Oldest }, isSlow: true);
    }

    [NatsFact]
    public async Task EveryGameLoops_HasTheLastFrame_AndAllThatHappened()
    {
        using var server = NatsServer.Run();
        using var daemon = await RelayedAsync(server, "--rate", "100");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        var loops = await AssertAllIsToldAsync(game, Every with { EveryGameLoops = 100 }, isSlow: false);
        Assert.Equal([.. Enumerable.Range(0, 14).Select(each => FirstGameLoop + (100 * (uint)each)), LastGameLoop], loops);
    }

    [NatsFact]
    public async Task Start_GivesThePast_AlsoAfterTheMatch()
    {
        using var server = NatsServer.Run();
        using (var daemon = await RelayedAsync(server, "--rate", "100"))
        {
            await using var live = await NatsGame.ConnectAsync(server.Match(), Patient);
            await live.ControlAsync(PlaybackControl.Resume());
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
            ("OUT_OF_RANGE", $"game loop 4000000 is not kept; kept are {FirstGameLoop} to {LastGameLoop}"), (error.Code, error.Reason));
        Assert.Contains("LE", (await game.MatchAsync()).MapName, StringComparison.Ordinal);
        // A match that is over has no live frames.
        await foreach (var _ in game.Frames(new SubscribeOptions { Policy = SubscribePolicy.Every })) Assert.Fail("a frame");
    }

    [NatsFact]
    public async Task Requests_AreThoseOfTheDaemon()
    {
        using var server = NatsServer.Run();
        using var daemon = await RelayedAsync(server);
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        await game.ControlAsync(PlaybackControl.Step(50));
        await foreach (var frame in game.Frames(Every with { MaxFrames = 1 })) Assert.Equal(FirstGameLoop, frame.GameLoop);
        while ((await game.StatusAsync()).FramesPublished < 50) await Task.Delay(10);
        Assert.True((await game.TimelineAsync()).GameLoops.Length > 0);
        await game.DrawAsync([Draw.Text(10, 20, "here")]);
        await game.PlotAsync("worth", 3.5);
        Assert.Equal("worth", Assert.Single(await game.PlotsAsync()).Name);
        Assert.NotNull((await game.QueryAsync(new RequestQuery { Pathing = { new RequestQueryPathing() } })).Response);
        Assert.Equal("FAILED_PRECONDITION", (await Assert.ThrowsAsync<RequestException>(() => game.ActAsync([]))).Code);
        Assert.Equal("UNIMPLEMENTED", (await Assert.ThrowsAsync<RequestException>(() => game.PublishAsync())).Code);
        SubscribeOptions[] impossible = [Every with { Policy = SubscribePolicy.Lockstep }, Every with { Fields = ["observation"] }];
        foreach (var refused in impossible)
        {
            var error = await Assert.ThrowsAsync<RequestException>(async () =>
            {
                await foreach (var _ in game.Frames(refused)) Assert.Fail("a frame");
            });
            Assert.Equal("UNIMPLEMENTED", error.Code);
        }
    }

    [NatsFact]
    public async Task KilledServer_LosesNoFrame()
    {
        using var server = NatsServer.Run();
        using var daemon = await RelayedAsync(server, "--rate", "4");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        var expected = FirstGameLoop;
        await game.ControlAsync(PlaybackControl.Resume());
        await foreach (var frame in game.Frames(Every))
        {
            Assert.Equal((expected++, 0ul), (frame.GameLoop, frame.Dropped));
            if (expected == FirstGameLoop + 200) server.Restart();
        }
        Assert.Equal(LastGameLoop + 1, expected);
    }

    [NatsFact]
    public async Task WhatIsNotThere_IsAnErrorAtOnce()
    {
        using var server = NatsServer.Run();
        var missing = await Assert.ThrowsAsync<ConnectException>(() => NatsGame.ConnectAsync(server.Match()));
        var start = $"cannot connect to {server.Match()}: there is no match 'm'. `abathur relay";
        Assert.StartsWith(start, missing.Message, StringComparison.Ordinal);
        server.Kill();
        var away = await Assert.ThrowsAsync<ConnectException>(() => NatsGame.ConnectAsync(server.Match()));
        Assert.EndsWith(". Is the server running?", away.Message, StringComparison.Ordinal);
        server.Restart();
        foreach (var wrong in new[] { "nats://127.0.0.1:4222", "socket://127.0.0.1:1/m", "nats://127.0.0.1:4222/a b" })
            await Assert.ThrowsAsync<ArgumentException>(() => NatsGame.ConnectAsync(wrong));
        await Assert.ThrowsAsync<ArgumentException>(() => NatsGame.ConnectAsync(server.Match(), credentials: "missing.creds"));
    }

    [NatsFact]
    public async Task UsersOfTheGuide_ReadAndActAsTheyMay()
    {
        var guide = await File.ReadAllTextAsync(Path.Combine(SharedData.RepositoryFolder, "docs", "nats.md"));
        var configuration = Configuration().Match(guide).Value;
        var users = string.Join('\n', configuration.Split('\n').SkipWhile(line => !line.StartsWith("RELAY", StringComparison.Ordinal)))
            .Replace("ladder-1", "m", StringComparison.Ordinal);
        using var server = NatsServer.Run(users);
        using var daemon = await DaemonProcess.StartAsync(
            "play", CommittedRecording.Path, "--start-paused", "--relay", server.Match("relay:relay-password@"));
        await using var watcher = await NatsGame.ConnectAsync(server.Match("watcher-1:watcher-password@"), Patient);
        await using var actor = await NatsGame.ConnectAsync(server.Match("actor-1:actor-password@"), Patient);
        await actor.ControlAsync(PlaybackControl.Step());
        await foreach (var frame in watcher.Frames(Every with { MaxFrames = 1 })) Assert.Equal(FirstGameLoop, frame.GameLoop);
        Assert.NotEmpty((await watcher.MatchAsync()).MapName);
        var denied = await Assert.ThrowsAsync<RequestException>(() => watcher.ControlAsync(PlaybackControl.Resume()));
        Assert.Equal("PERMISSION_DENIED", denied.Code);
        await actor.ControlAsync(PlaybackControl.SetRate(100));
        await actor.ControlAsync(PlaybackControl.Resume());
        var last = 0u;
        await foreach (var frame in actor.Frames(Every)) last = frame.GameLoop;
        Assert.Equal(LastGameLoop, last);
        var refused = await Assert.ThrowsAsync<RequestException>(
            () => NatsGame.ConnectAsync(server.Match("watcher-1:wrong@"), Patient));
        Assert.Equal("UNAUTHENTICATED", refused.Code);
    }

    [NatsFact]
    public async Task UserWhoMayNotRead_IsToldSo()
    {
        const string Users = """
            authorization { users: [
              { user: relay, password: secret }
              { user: reader, password: secret, permissions: {
                publish: ["abathur.m.watch.*", "$JS.API.STREAM.INFO.ABATHUR_m", "$JS.API.STREAM.MSG.GET.ABATHUR_m", "$JS.API.DIRECT.GET.>"]
                subscribe: ["_INBOX.abathur.m.>"] } } ] }
            """;
        using var server = NatsServer.Run(Users);
        using var daemon = await DaemonProcess.StartAsync(
            "play", CommittedRecording.Path, "--relay", server.Match("relay:secret@"));
        await using var game = await NatsGame.ConnectAsync(server.Match("reader:secret@"), Patient);
        var error = await Assert.ThrowsAsync<RequestException>(async () =>
        {
            await foreach (var _ in game.Frames(Every)) Assert.Fail("a frame");
        });
        Assert.Equal("PERMISSION_DENIED", error.Code);
        Assert.Contains("may not publish to $js.api.consumer.create.ABATHUR_m", error.Reason, StringComparison.OrdinalIgnoreCase);
    }

    [NatsFact]
    public async Task Agent_RunsOnAMatch()
    {
        using var server = NatsServer.Run();
        using var daemon = await RelayedAsync(server, "--rate", "100");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        var agent = new Counting();
        await game.ControlAsync(PlaybackControl.Resume());
        await agent.RunOnAsync(game, Every);
        Assert.Equal((int)(LastGameLoop - FirstGameLoop) + 1, agent.Frames);
    }

    private static Task<DaemonProcess> RelayedAsync(NatsServer server, params string[] options) => DaemonProcess.StartAsync(
        ["play", CommittedRecording.Path, "--start-paused", "--relay", server.Match(), .. options]);

    /// <summary>Reads a match to its end: what frames have and what they tell of those before them is all that the recording has.</summary>
    private static async Task<List<uint>> AssertAllIsToldAsync(AbathurGame game, SubscribeOptions options, bool isSlow)
    {
        var random = new Random(5);
        var (dead, alerts, chats, loops, frames) = (new List<ulong>(), 0, 0, new List<uint>(), 0ul);
        // The first frame is stored when the reader begins: what happened before a reader's first frame is not told.
        await game.ControlAsync(PlaybackControl.Step());
        await foreach (var frame in game.Frames(Every with { MaxFrames = 1 })) Assert.Equal(FirstGameLoop, frame.GameLoop);
        await game.ControlAsync(PlaybackControl.Resume());
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

    [GeneratedRegex("(?<=```conf\n)listen:.*?(?=```)", RegexOptions.Singleline)]
    private static partial Regex Configuration();

    private sealed class Counting : Agent
    {
        public int Frames { get; private set; }

        protected override ValueTask OnStep(Frame frame)
        {
            Frames++;
            return default;
        }
    }
}
