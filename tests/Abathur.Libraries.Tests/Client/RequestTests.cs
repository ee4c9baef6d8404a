using Abathur.Client.Testing;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>Requests to the real daemon, with and without a subscription; addresses, tokens and TLS.</summary>
public class RequestTests
{
    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Playback_IsControlledWithoutASubscription(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        var match = await game.MatchAsync();
        Assert.Equal(("Synthetic LE", SourceKind.Playback), (match.MapName, match.Source));
        await game.Playback.StepAsync(3);
        await UntilAtAsync(game, match.FirstGameLoop + 2);
        await game.Playback.SeekAsync(match.FirstGameLoop + 100);
        await game.Playback.StepAsync();
        await UntilAtAsync(game, match.FirstGameLoop + 100);
        Assert.Equal(2, (await game.Playback.SetRateAsync(2)).Rate);
        Assert.True((await game.Playback.SetLoopAsync(true)).Loop);
        Assert.False((await game.Playback.ResumeAsync()).Paused);
        Assert.True((await game.Playback.PauseAsync()).Paused);
        Assert.True((await game.StatusAsync()).FramesPublished >= 4);
        var error = await Assert.ThrowsAsync<RequestException>(() => game.Playback.SeekAsync(4_000_000));
        Assert.Equal(RequestErrorCode.OutOfRange, error.Code);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task NextGame_OnRequest_FramesAreOfTheNextMatch(string transport)
    {
        await using var emulated = await EmulatedGame.StartAsync(CommittedRecording.Path, new() { Command = DaemonProcess.Program });
        using var daemon = await DaemonProcess.StartAsync(
            "live", "--sc2", $"{emulated.Host}:{emulated.Port}", "--map", "Any.SC2Map", "--games", "0", "--wait-agents", "1");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        var runs = new HashSet<string>();
        for (var i = 0; i < 3; i++)
        {
            await game.NextGameAsync(seed: i == 0 ? null : 7);
            await foreach (var frame in game.Frames(new() { Policy = SubscribePolicy.Lockstep, MaxFrames = 2 }))
                runs.Add((await game.MatchAsync()).RunId);
        }
        Assert.Equal(3, runs.Count);
    }

    [Fact]
    public async Task NextGame_Playback_IsRefused()
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address("grpc"));
        var error = await Assert.ThrowsAsync<RequestException>(() => game.NextGameAsync());
        Assert.Equal(RequestErrorCode.FailedPrecondition, error.Code);
        Assert.Contains("live --games 0", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Drawings_ReachTheDaemon(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        Shape[] shapes =
        [
            Draw.Point(1, 2), Draw.Circle(3, 4, 5, color: 0xFF0000), Draw.Line(1, 1, 2, 2, lifetime: 10), Draw.Text(5, 5, "here"),
        ];
        Assert.Equal(4u, (await game.DrawAsync(shapes, "army")).Shapes);
        Assert.Equal(0u, (await game.DrawAsync([], "army")).Shapes);
        var error = await Assert.ThrowsAsync<RequestException>(() => game.DrawAsync([Draw.Circle(1, 1, -1)]));
        Assert.Equal(RequestErrorCode.InvalidArgument, error.Code);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Plots_ReachTheDaemonAndComeBack(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await game.Playback.StepAsync();
        var first = (await game.MatchAsync()).FirstGameLoop;
        await UntilAtAsync(game, first);
        Assert.Equal(first, (await game.PlotAsync("threat", 0.5, "Bot")).GameLoop);
        await game.PlotAsync([new("army", 3), new("threat", 1)], "Bot");
        var series = await game.PlotsAsync();
        Assert.Equal(
            [("Bot", "army", first, 3.0), ("Bot", "threat", first, 1.0)],
            series.Select(each => (each.Agent, each.Name, each.GameLoops.Single(), each.Values.Single())));
        Assert.Empty(await game.PlotsAsync(first));
        var error = await Assert.ThrowsAsync<RequestException>(() => game.PlotAsync("x", double.NaN));
        Assert.Equal(RequestErrorCode.InvalidArgument, error.Code);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task ActionsOnAPlayback_AreRefused(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        var error = await Assert.ThrowsAsync<RequestException>(() => game.ActAsync([new SC2APIProtocol.Action()]));
        Assert.Equal(RequestErrorCode.FailedPrecondition, error.Code);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Query_OfAPlayback_IsAnsweredByTheDaemon(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path);
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        while ((await game.StatusAsync()).FramesPublished == 0) await Task.Delay(10);
        var walk = new RequestQueryPathing { StartPos = new Point2D { X = 30, Y = 30 }, EndPos = new Point2D { X = 60, Y = 60 } };
        var answer = await game.QueryAsync(new RequestQuery { Pathing = { walk } });
        Assert.True(answer.Emulated);
        Assert.InRange(answer.Response.Pathing[0].Distance, 42, 200);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task ManyRequestsAtOnce_GetTheirOwnAnswers(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        var results = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => game.DrawAsync(
            Enumerable.Range(0, i % 5).Select(at => Draw.Point(at, i)), $"layer {i}")));
        Assert.Equal(100u, results.Max(result => result.Shapes));
        Assert.Empty((await game.StatusAsync()).Subscribers);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task DaemonKilled_RequestsFail_AndAnotherDaemonIsFound(string transport)
    {
        using var first = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused");
        var options = new ConnectOptions { ReconnectTimeout = TimeSpan.Zero };
        await using var game = await AbathurGame.ConnectAsync(first.Address(transport), options);
        await game.StatusAsync();
        first.Kill();
        await Assert.ThrowsAsync<ConnectException>(() => game.StatusAsync());
        using var second = await DaemonProcess.StartAsync(
            "play", CommittedRecording.Path, "--start-paused", $"--{transport}-port", first.Address(transport).Split(':')[^1]);
        Assert.Equal("abathur-sync", (await game.StatusAsync()).Process.Version.Length > 0 ? "abathur-sync" : "");
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Published_FramesComeBack(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("serve", "--once");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        var observations = CommittedRecording.Observations().Take(20).ToList();
        // Too long for the first line.
        var info = new ResponseGameInfo { MapName = new string('x', 20_000) };
        await using var publisher = await game.PublishAsync(new Match { MapName = "Testmap LE", PlayerId = 2, GameInfo = info });
        await publisher.PublishAsync(observations[0]);
        var frames = new List<byte[]>();
        var options = new SubscribeOptions { Policy = SubscribePolicy.Every, Newest = true };
        await foreach (var frame in game.Frames(options))
        {
            frames.Add(frame.ObservationBytes.ToArray());
            if (frames.Count < observations.Count) await publisher.PublishAsync(observations[frames.Count]);
            else if (frames.Count == observations.Count) Assert.Equal(20ul, await publisher.FinishAsync());
        }
        Assert.Equal(observations, frames);
        var match = await game.MatchAsync();
        Assert.Equal(("Testmap LE", 2u, SourceKind.Push, info), (match.MapName, match.PlayerId, match.Source, match.GameInfo));
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task SecondPublisher_IsRefused(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("serve", "--once");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await using var first = await game.PublishAsync();
        var error = await Assert.ThrowsAsync<RequestException>(() => game.PublishAsync());
        Assert.Equal(RequestErrorCode.AlreadyExists, error.Code);
        await first.PublishAsync("no observation"u8.ToArray());
        await Assert.ThrowsAnyAsync<AbathurException>(() => first.FinishAsync());
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Token_IsNeededAndSaysWhatIsAllowed(string transport)
    {
        using var folder = new TemporaryFolder();
        var (act, watch) = (Path.Combine(folder.Path, "act"), Path.Combine(folder.Path, "watch"));
        await File.WriteAllTextAsync(act, "act-token-0123456789");
        await File.WriteAllTextAsync(watch, "watch-token-0123456789");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(act, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            File.SetUnixFileMode(watch, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
        using var daemon = await DaemonProcess.StartAsync(
            "play", CommittedRecording.Path, "--start-paused", "--token-file", act, "--watch-token-file", watch);
        await using var stranger = await AbathurGame.ConnectAsync(daemon.Address(transport));
        Assert.Equal(RequestErrorCode.Unauthenticated, (await Assert.ThrowsAsync<RequestException>(() => stranger.StatusAsync())).Code);
        var address = daemon.Address(transport);
        await using var watcher = await AbathurGame.ConnectAsync(address, new ConnectOptions { Token = "watch-token-0123456789" });
        await watcher.StatusAsync();
        var refused = await Assert.ThrowsAsync<RequestException>(() => watcher.Playback.ResumeAsync());
        Assert.Equal(RequestErrorCode.PermissionDenied, refused.Code);
        await using var player = await AbathurGame.ConnectAsync(address, new ConnectOptions { Token = "act-token-0123456789\n" });
        Assert.False((await player.Playback.ResumeAsync()).Paused);
        Assert.DoesNotContain("act-token", player.Address, StringComparison.Ordinal);
    }

    [LinuxFact]
    public async Task UnixDomainSocket_IsAnAddress()
    {
        using var folder = new TemporaryFolder();
        foreach (var transport in new[] { "socket", "grpc" })
        {
            var path = Path.Combine(folder.Path, transport);
            using var daemon = await DaemonProcess.StartAsync(
                "play", CommittedRecording.Path, "--start-paused", $"--{transport}-uds", path);
            await using var game = await AbathurGame.ConnectAsync($"{transport}+unix:{path}");
            Assert.Equal("Synthetic LE", (await game.MatchAsync()).MapName);
        }
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Tls_TrustsTheGivenRootOnly(string transport)
    {
        using var folder = new TemporaryFolder();
        var certificate = TestCertificate.Write(folder.Path);
        using var daemon = await DaemonProcess.StartAsync(
            "play", CommittedRecording.Path, "--rate", "unlimited", "--wait-agents", "1", "--tls-cert", certificate.Certificate,
            "--tls-key", certificate.Key);
        var address = daemon.Address(transport).Replace("://", "s://", StringComparison.Ordinal);
        var trusting = new ConnectOptions { CaFile = certificate.Certificate, ReconnectTimeout = TimeSpan.Zero };
        var error = await Assert.ThrowsAsync<ConnectException>(() => AbathurGame.ConnectAsync(address, trusting with { CaFile = null }));
        Assert.Contains("certificate", error.Message, StringComparison.Ordinal);
        await using var game = await AbathurGame.ConnectAsync(address, trusting);
        var frames = 0;
        var options = new SubscribeOptions { Policy = SubscribePolicy.Every, Encoding = FrameEncoding.Columns };
        await foreach (var frame in game.Frames(options)) frames++;
        Assert.Equal(CommittedRecording.Observations().Count(), frames);
    }

    [Fact]
    public async Task Match_IsFoundByItsName()
    {
        var name = $"test-{Guid.NewGuid():N}";
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused", "--name", name);
        await using var game = await AbathurGame.ConnectAsync($"match:{name}");
        Assert.Equal($"socket://{daemon.Socket}", game.Address);
        var listed = LocalMatch.List().Single(each => each.Name == name);
        Assert.Equal(($"match:{name}", "play", $"socket://{daemon.Socket}"), (listed.Address, listed.Command, listed.Addresses["socket"]));
        Assert.InRange(listed.Started, DateTimeOffset.UtcNow.AddMinutes(-5), DateTimeOffset.UtcNow);
        var error = await Assert.ThrowsAsync<ArgumentException>(() => AbathurGame.ConnectAsync($"match:{name}-2"));
        Assert.Contains(name, error.Message.Split("there are")[1], StringComparison.Ordinal);
    }

    private static async Task UntilAtAsync(AbathurGame game, uint gameLoop)
    {
        while ((await game.StatusAsync()).Playback.GameLoop != gameLoop) await Task.Delay(10);
    }

    [Theory]
    [InlineData("127.0.0.1:22401", "socket://127.0.0.1:22401")]
    [InlineData("localhost", "socket://localhost:22401")]
    [InlineData("socket://[::1]:5", "socket://[::1]:5")]
    [InlineData("sockets://bots.example.com:5", "sockets://bots.example.com:5")]
    [InlineData("socket+unix:/tmp/x", "socket+unix:/tmp/x")]
    [InlineData("grpc://localhost", "grpc://localhost:22400")]
    [InlineData("grpcs://[::1]:5", "grpcs://[::1]:5")]
    [InlineData("grpc+unix:/tmp/x", "grpc+unix:/tmp/x")]
    public void Address_IsRead(string text, string expected) =>
        Assert.Equal(expected, DaemonAddress.Parse(text, new ConnectOptions()).ToString());

    [Theory]
    [InlineData("http://127.0.0.1:22402", "is not an address")]
    [InlineData("nats://127.0.0.1:4222/m", "needs the package Abathur.Client.Nats: NatsGame.ConnectAsync(\"nats://HOST/MATCH\")")]
    [InlineData("127.0.0.1:99999", "is not an address")]
    [InlineData(":22401", "is not an address")]
    [InlineData("localhost:0", "is not an address")]
    [InlineData("localhost/x", "is not an address")]
    [InlineData("::1:22401", "is not an address")]
    [InlineData("match:no-such-match", "publishes a match with the name no-such-match: ")]
    [InlineData("match:../x", "is not an address: expected match:NAME")]
    public async Task Address_IsRefused(string text, string expected)
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(() => AbathurGame.ConnectAsync(text));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }
}
