using System.Net;
using Abathur.Recordings.Tests;
using Abathur.Sync.Access;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.V1;
using Grpc.Core;
using Grpc.Net.Client;

namespace Abathur.Sync.Tests.Hosting;

/// <summary>A daemon that bots publish to one after the other, each a match of its own, over its real gRPC.</summary>
public sealed class SuccessiveMatchesTests
{
    private const string ActToken = "act-token-0123456789", WatchToken = "watch-token-0123456789";
    private const uint Frames = 6;
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task Readers_ThatWaitForTheNextMatch_GetThatMatchAndItsEnd()
    {
        await using var served = await ServedAsync(TimeSpan.Zero);
        for (var i = 0; i < 3; i++)
        {
            Assert.Null((await served.Client.GetStatusAsync(new GetStatusRequest(), Token(ActToken))).Match);
            var reading = served.ReadAsync(WatchToken);
            await served.Daemon.Run.Hub.WaitForSubscribersAsync(count => count == 1, CancellationToken.None).WaitAsync(Limit);
            await served.PublishAsync($"match {i}");
            Assert.Equal(Expected($"match {i}"), await reading.WaitAsync(Limit));
        }
    }

    [Fact]
    public async Task ReaderThatIsSlow_HasAllOfItsMatchWhileTheNextOneRuns()
    {
        await using var served = await ServedAsync(TimeSpan.Zero);
        using var slow = served.Client.Subscribe(new SubscribeRequest { Policy = Policy.Every }, Token(WatchToken));
        await slow.ResponseHeadersAsync.WaitAsync(Limit);
        await served.PublishAsync("first");
        var next = served.ReadAsync(WatchToken);
        await served.Daemon.Run.Hub.WaitForSubscribersAsync(count => count == 1, CancellationToken.None).WaitAsync(Limit);
        await served.PublishAsync("second");
        Assert.Equal(Expected("second"), await next.WaitAsync(Limit));
        Assert.Equal(Expected("first"), await ReadAsync(slow).WaitAsync(Limit));
    }

    [Fact]
    public async Task Watchers_OfMatchesThatAreShownLater_GetEachInOrderAndNoneEarly()
    {
        var delay = TimeSpan.FromSeconds(0.3);
        await using var served = await ServedAsync(delay);
        TaskCompletionSource[] read = [.. Enumerable.Range(0, 3).Select(_ => new TaskCompletionSource())];
        var publishing = Task.Run(async () =>
        {
            // Each match begins while frames of the one before are not shown yet.
            for (var i = 0; i < 3; i++) await served.PublishAsync($"match {i}", read[i].Task);
        });
        for (var i = 0; i < 3; i++)
        {
            using var call = served.Client.Subscribe(new SubscribeRequest { Policy = Policy.Every }, Token(WatchToken));
            await call.ResponseHeadersAsync.WaitAsync(Limit);
            read[i].SetResult();
            var frames = new List<(string, uint)>();
            await foreach (var frame in call.ResponseStream.ReadAllAsync())
            {
                var age = DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch - TimeSpan.FromTicks(frame.CapturedUnixNs / 100);
                Assert.True(age >= delay, $"{age} after it was captured");
                frames.Add((frame.MatchId, frame.GameLoop));
            }
            Assert.Equal(Expected($"match {i}"), frames);
        }
        await publishing;
    }

    [Fact]
    public async Task ReaderFromTheOldestFrame_ThatComesBeforeTheMatch_GetsItsId()
    {
        await using var served = await ServedAsync(TimeSpan.Zero);
        using var call = served.Client.Subscribe(new SubscribeRequest { Policy = Policy.Every, StartOldest = true }, Token(WatchToken));
        await call.ResponseHeadersAsync.WaitAsync(Limit);
        await served.PublishAsync("late");
        Assert.Equal(Expected("late"), await ReadAsync(call).WaitAsync(Limit));
    }

    [Fact]
    public async Task ManyMatches_LeaveNothingBehind()
    {
        await using var served = await ServedAsync(TimeSpan.Zero);
        for (var i = 0; i < 40; i++)
        {
            var reading = served.ReadAsync(WatchToken);
            await served.Daemon.Run.Hub.WaitForSubscribersAsync(count => count == 1, CancellationToken.None).WaitAsync(Limit);
            await served.PublishAsync($"match {i}");
            Assert.Equal(Expected($"match {i}"), await reading.WaitAsync(Limit));
        }
        Assert.True(SpinWait.SpinUntil(() => served.Daemon.MatchesThatEnd == 0, Limit));
        var status = await served.Client.GetStatusAsync(new GetStatusRequest(), Token(ActToken));
        Assert.Empty(status.Subscribers);
        var totals = served.Daemon.Api.ViewOf(AccessLevel.Act).Share.Totals();
        Assert.Equal(40 * Frames, (uint)totals.Values.Aggregate(0UL, (sum, each) => sum + each.FramesSent));
    }

    private static (string, uint)[] Expected(string match) => [.. Enumerable.Range(1, (int)Frames).Select(loop => (match, (uint)loop))];

    private static Metadata Token(string token) => new() { { "authorization", "Bearer " + token } };

    private static async Task<Served> ServedAsync(TimeSpan delay)
    {
        var source = new PushSource(null, TimeProvider.System);
        var options = new DaemonOptions
        {
            GrpcPort = 0,
            SocketPort = null,
            HttpPort = null,
            Access = new() { Tokens = new(ActToken, WatchToken), WatchDelay = delay },
        };
        var daemon = new Daemon(source, options, TimeProvider.System);
        var addresses = await daemon.StartAsync(CancellationToken.None);
        var port = IPEndPoint.Parse(addresses.All.Single().Address).Port;
        var stop = new CancellationTokenSource();
        var channel = GrpcChannel.ForAddress($"http://127.0.0.1:{port}");
        return new Served(daemon, channel, new GameSync.GameSyncClient(channel), daemon.RunAsync(stop.Token), stop);
    }

    private static async Task<List<(string, uint)>> ReadAsync(AsyncServerStreamingCall<Frame> call)
    {
        var frames = new List<(string, uint)>();
        await foreach (var frame in call.ResponseStream.ReadAllAsync()) frames.Add((frame.MatchId, frame.GameLoop));
        return frames;
    }

    private sealed record Served(
        Daemon Daemon, GrpcChannel Channel, GameSync.GameSyncClient Client, Task<SubscriptionEnd> Running, CancellationTokenSource Stop)
        : IAsyncDisposable
    {
        public async Task<List<(string, uint)>> ReadAsync(string token)
        {
            using var call = Client.Subscribe(new SubscribeRequest { Policy = Policy.Every }, Token(token));
            return await SuccessiveMatchesTests.ReadAsync(call);
        }

        public async Task PublishAsync(string match, Task? isRead = null)
        {
            using var call = Client.Publish(Token(ActToken));
            await call.RequestStream.WriteAsync(new PublishRequest { Match = new Match { MatchId = match } });
            if (isRead is not null) await isRead.WaitAsync(Limit);
            for (var loop = 1u; loop <= Frames; loop++)
            {
                var observation = SC2APIProtocol.ResponseObservation.Parser.ParseFrom(RecordingSample.Observation(loop));
                await call.RequestStream.WriteAsync(new PublishRequest { Observation = observation });
            }
            await call.RequestStream.WriteAsync(new PublishRequest { End = new() });
            await call.RequestStream.CompleteAsync();
            Assert.Equal(Frames, (uint)(await call.ResponseAsync).Frames);
        }

        public async ValueTask DisposeAsync()
        {
            await Stop.CancelAsync();
            Assert.Equal(SubscriptionEndReason.Stopping, (await Running.WaitAsync(Limit)).Reason);
            Channel.Dispose();
            await Daemon.DisposeAsync();
            Stop.Dispose();
        }
    }
}
