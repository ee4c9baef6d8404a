using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.V1;
using Grpc.Core;

namespace Abathur.Sync.Tests.Hosting;

/// <summary>Readers that follow the matches of one daemon, and requests for one of them, over its real gRPC.</summary>
public sealed class FollowedMatchesTests
{
    private static readonly Metadata Actor = ServedDaemon.Token(ServedDaemon.ActToken);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    [Theory]
    [InlineData(0)]
    [InlineData(0.3)]
    public async Task Follower_GetsEachMatchOnceAndItsEnd(double delaySeconds)
    {
        var delay = TimeSpan.FromSeconds(delaySeconds);
        await using var served = await ServedDaemon.StartAsync(delay);
        using var call = await FollowAsync(served, ServedDaemon.WatchToken);
        var runs = new HashSet<string>();
        for (var i = 0; i < 3; i++)
        {
            // Of matches that are over at once, the reader would be too far behind.
            await served.PublishAsync($"match {i}");
            var match = (await NextAsync(call)).Match;
            Assert.Equal($"match {i}", match.MatchId);
            Assert.True(match.BeganUnixNs > 0 && runs.Add(match.RunId));
            var ended = await ReadAsync(call, match.MatchId, delay);
            Assert.Equal((match.RunId, "the bot has published all", false), (ended.RunId, ended.Reason, ended.Lost));
        }
    }

    [Fact]
    public async Task Follower_OfTheLastMatch_GetsTheEndOfTheDaemon()
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero);
        using var call = await FollowAsync(served, ServedDaemon.WatchToken);
        await served.PublishAsync("only");
        Assert.Equal("only", (await NextAsync(call)).Match.MatchId);
        await ReadAsync(call, "only", TimeSpan.Zero);
        await served.Stop.CancelAsync();
        var refused = await Assert.ThrowsAsync<RpcException>(async () =>
        {
            while (true) await NextAsync(call);
        });
        Assert.Equal(StatusCode.Unavailable, refused.StatusCode);
    }

    [Fact]
    public async Task Followers_CountOnceAgainstTheLimit()
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero, new HubOptions { MaxSubscriptions = 2 });
        using var slow = await FollowAsync(served, ServedDaemon.WatchToken);
        using var other = await FollowAsync(served, ServedDaemon.WatchToken);
        await served.PublishAsync("first");
        // Each has the next match, too.
        var status = await served.Client.GetStatusAsync(new GetStatusRequest(), Actor);
        Assert.Equal(2, status.Subscribers.Count);
        using var third = await FollowAsync(served, ServedDaemon.WatchToken, waits: false);
        var refused = await Assert.ThrowsAsync<RpcException>(() => NextAsync(third));
        Assert.Equal(StatusCode.ResourceExhausted, refused.StatusCode);
    }

    [Theory]
    [InlineData(Policy.Latest)]
    [InlineData(Policy.Every)]
    public async Task FollowerThatIsBehindByMoreThanAMatch_IsToldSo(Policy policy)
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero);
        // It reads nothing more before it acknowledges the first frame.
        using var call = await FollowAsync(served, ServedDaemon.WatchToken, policy, credits: 1);
        var frame = new Frame();
        await served.PublishAsync("match 0", afterFirst: async () =>
        {
            Assert.Equal("match 0", (await NextAsync(call)).Match.MatchId);
            frame = (await NextAsync(call)).Frame;
        });
        for (var i = 1; i < 3; i++) await served.PublishAsync($"match {i}");
        if (policy == Policy.Every)
        {
            var refused = await Assert.ThrowsAsync<RpcException>(async () =>
            {
                for (var sequence = frame.Sequence; ; sequence = (await NextAsync(call)).Frame?.Sequence ?? sequence)
                    await AcknowledgeAsync(call, 0, sequence);
            });
            Assert.Equal(StatusCode.ResourceExhausted, refused.StatusCode);
            return;
        }
        // The last one of its match waits for the acknowledgement. The second match has passed.
        for (ServerMessage message = new() { Frame = frame }; message.Frame is not null; message = await NextAsync(call))
        {
            frame = message.Frame;
            await AcknowledgeAsync(call, 0, frame.Sequence);
        }
        Assert.Equal(("match 0", (ulong)ServedDaemon.Frames), (frame.MatchId, frame.Sequence));
        Assert.Equal("match 2", (await NextAsync(call)).Match.MatchId);
        frame = (await NextAsync(call)).Frame;
        Assert.Equal("match 2", frame.MatchId);
        Assert.Equal(frame.Sequence - 1 + ServedDaemon.Frames, frame.Dropped);
    }

    [Fact]
    public async Task FollowerThatIsBehindByAMatch_GetsIt()
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero);
        // It reads nothing more before it acknowledges the first frame.
        using var call = await FollowAsync(served, ServedDaemon.WatchToken, credits: 1);
        for (var i = 0; i < 2; i++) await served.PublishAsync($"match {i}");
        for (var i = 0u; i < 3; i++)
        {
            if (i == 2) await served.PublishAsync("match 2");
            Assert.Equal($"match {i}", (await NextAsync(call)).Match.MatchId);
            for (var sequence = 1u; sequence <= ServedDaemon.Frames; sequence++)
            {
                Assert.Equal((ulong)sequence, (await NextAsync(call)).Frame.Sequence);
                // Another match does not count.
                await AcknowledgeAsync(call, i + 1, sequence);
                await AcknowledgeAsync(call, i, sequence);
            }
            Assert.NotNull((await NextAsync(call)).MatchEnded);
        }
    }

    [Fact]
    public async Task MatchesThatAreOver_AreListedAndCanBeRead()
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero);
        for (var i = 0; i < 3; i++) await served.PublishAsync($"match {i}");
        var matches = (await served.Client.GetMatchesAsync(new GetMatchesRequest(), Actor)).Matches;
        Assert.Equal(["match 0", "match 1", "match 2"], matches.Select(each => each.Match.MatchId));
        Assert.All(matches, each =>
        {
            Assert.Equal((MatchState.MatchOver, "the bot has published all"), (each.State, each.Reason));
            Assert.Equal((ServedDaemon.Frames, (ulong)ServedDaemon.Frames), (each.LastGameLoop, each.Frames));
            Assert.True(each.EndedUnixNs >= each.Match.BeganUnixNs);
        });

        var run = matches[1].Match.RunId;
        Assert.Equal("match 1", (await served.Client.GetMatchAsync(new GetMatchRequest { RunId = run }, Actor)).MatchId);
        var status = await served.Client.GetStatusAsync(new GetStatusRequest { RunId = run }, Actor);
        Assert.Equal((ulong)ServedDaemon.Frames, status.FramesPublished);
        Assert.Equal([1u], (await served.Client.GetTimelineAsync(new GetTimelineRequest { RunId = run }, Actor)).GameLoops);
        for (var i = 0; i < 2; i++)
        {
            using var kept = served.Client.Subscribe(new SubscribeRequest { RunId = run, StartOldest = true }, Actor);
            Assert.True(await kept.ResponseStream.MoveNext(CancellationToken.None).WaitAsync(Limit));
            Assert.Equal((run, 1u), (kept.ResponseStream.Current.RunId, kept.ResponseStream.Current.GameLoop));
            Assert.Equal(ServedDaemon.Expected("match 1")[1..], await ServedDaemon.ReadAsync(kept).WaitAsync(Limit));
        }
        Assert.Equal(StatusCode.NotFound, await CodeAsync(() => served.Client.GetStatusAsync(new GetStatusRequest { RunId = "x" }, Actor)));
        StatusCode[] refused =
        [
            await CodeAsync(() => served.Client.DrawAsync(new DrawRequest { RunId = run }, Actor)),
            await CodeAsync(() => served.Client.PlotAsync(new PlotRequest { RunId = run }, Actor)),
            await CodeAsync(() => served.Client.ActAsync(new ActRequest { RunId = run }, Actor)),
            await CodeAsync(() => served.Client.QueryAsync(new QueryRequest { RunId = run }, Actor)),
        ];
        Assert.All(refused, code => Assert.Equal(StatusCode.FailedPrecondition, code));
    }

    [Fact]
    public async Task Watchers_DoNotKnowAMatchBeforeItIsShown()
    {
        var delay = TimeSpan.FromHours(1);
        await using var served = await ServedDaemon.StartAsync(delay);
        await served.PublishAsync("hidden");
        var shown = (await served.Client.GetMatchesAsync(new GetMatchesRequest(), Actor)).Matches;
        var watcher = ServedDaemon.Token(ServedDaemon.WatchToken);
        Assert.Empty((await served.Client.GetMatchesAsync(new GetMatchesRequest(), watcher)).Matches);
        Assert.Equal(
            StatusCode.NotFound,
            await CodeAsync(() => served.Client.GetTimelineAsync(new GetTimelineRequest { RunId = shown.Single().Match.RunId }, watcher)));
    }

    [Fact]
    public async Task MatchesThatAreOver_GiveWayWithinTheMemoryOfTheHistory()
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero, new HubOptions { HistoryBytes = 256 * 1024 });
        for (var i = 0; i < 200; i++) await served.PublishAsync($"match {i}");
        Assert.True(SpinWait.SpinUntil(() => served.Daemon.MatchesThatEnd == 0, Limit));
        var matches = (await served.Client.GetMatchesAsync(new GetMatchesRequest(), Actor)).Matches;
        Assert.Equal(200, matches.Count);
        var kept = matches.SkipWhile(each => each.History is null).ToList();
        Assert.InRange(kept.Count, 1, 199);
        Assert.All(kept, each => Assert.NotNull(each.History));
        Assert.InRange(kept.Sum(each => (long)each.History.Bytes), 1, 256 * 1024);
        Assert.Equal(
            StatusCode.FailedPrecondition,
            await CodeAsync(() => served.Client.GetStatusAsync(new GetStatusRequest { RunId = matches[0].Match.RunId }, Actor)));
        Assert.Equal(200ul * ServedDaemon.Frames, served.Daemon.Api.ViewOf(AccessLevel.Act).Totals().Frames);
    }

    private static async Task<StatusCode> CodeAsync<T>(Func<AsyncUnaryCall<T>> call) =>
        (await Assert.ThrowsAsync<RpcException>(async () => await call().ResponseAsync.WaitAsync(Limit))).StatusCode;

    /// <summary>Reads a match to its end.</summary>
    private static async Task<MatchEnded> ReadAsync(
        AsyncDuplexStreamingCall<ClientMessage, ServerMessage> call, string match, TimeSpan delay)
    {
        var frames = new List<(string, uint)>();
        while (true)
        {
            var message = await NextAsync(call);
            var age = DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch - TimeSpan.FromTicks((message.Frame?.CapturedUnixNs ?? 0) / 100);
            Assert.True(age >= delay, $"{age} after it was captured");
            if (message.MatchEnded is not { } ended)
            {
                Assert.Equal((ulong)frames.Count + 1, message.Frame!.Sequence);
                frames.Add((message.Frame.MatchId, message.Frame.GameLoop));
                continue;
            }
            Assert.Equal(ServedDaemon.Expected(match), frames);
            return ended;
        }
    }

    private static async Task<ServerMessage> NextAsync(AsyncDuplexStreamingCall<ClientMessage, ServerMessage> call)
    {
        using var limit = new CancellationTokenSource(Limit);
        Assert.True(await call.ResponseStream.MoveNext(limit.Token));
        return call.ResponseStream.Current;
    }

    private static Task AcknowledgeAsync(AsyncDuplexStreamingCall<ClientMessage, ServerMessage> call, uint match, ulong sequence) =>
        call.RequestStream.WriteAsync(new ClientMessage { Ack = new Ack { MatchIndex = match, Sequence = sequence } });

    private static async Task<AsyncDuplexStreamingCall<ClientMessage, ServerMessage>> FollowAsync(
        ServedDaemon served, string token, Policy policy = Policy.Every, uint credits = 0, bool waits = true)
    {
        var call = served.Client.Session(ServedDaemon.Token(token));
        var subscribe = new SubscribeRequest { Policy = policy, Follow = true, Credits = credits, BufferFrames = 100 };
        await call.RequestStream.WriteAsync(new ClientMessage { Subscribe = subscribe });
        if (waits) await call.ResponseHeadersAsync.WaitAsync(Limit);
        return call;
    }
}
