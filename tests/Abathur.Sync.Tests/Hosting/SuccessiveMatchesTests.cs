using Abathur.Sync.Access;
using Abathur.Sync.V1;
using Grpc.Core;

namespace Abathur.Sync.Tests.Hosting;

/// <summary>A daemon that bots publish to one after the other, each a match of its own, over its real gRPC.</summary>
public sealed class SuccessiveMatchesTests
{
    private static readonly SubscribeRequest Every = new() { Policy = Policy.Every };
    private static readonly Metadata Actor = ServedDaemon.Token(ServedDaemon.ActToken);
    private static readonly Metadata Watcher = ServedDaemon.Token(ServedDaemon.WatchToken);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task Readers_ThatWaitForTheNextMatch_GetThatMatchAndItsEnd()
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero);
        for (var i = 0; i < 3; i++)
        {
            Assert.Null((await served.Client.GetStatusAsync(new GetStatusRequest(), Actor)).Match);
            var reading = served.ReadAsync(ServedDaemon.WatchToken);
            await served.Daemon.Run.Hub.WaitForSubscribersAsync(count => count == 1, CancellationToken.None).WaitAsync(Limit);
            await served.PublishAsync($"match {i}");
            Assert.Equal(ServedDaemon.Expected($"match {i}"), await reading.WaitAsync(Limit));
        }
    }

    [Fact]
    public async Task ReaderThatIsSlow_HasAllOfItsMatchWhileTheNextOneRuns()
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero);
        using var slow = served.Client.Subscribe(Every, Watcher);
        await slow.ResponseHeadersAsync.WaitAsync(Limit);
        await served.PublishAsync("first");
        var next = served.ReadAsync(ServedDaemon.WatchToken);
        await served.Daemon.Run.Hub.WaitForSubscribersAsync(count => count == 1, CancellationToken.None).WaitAsync(Limit);
        await served.PublishAsync("second");
        Assert.Equal(ServedDaemon.Expected("second"), await next.WaitAsync(Limit));
        Assert.Equal(ServedDaemon.Expected("first"), await ServedDaemon.ReadAsync(slow).WaitAsync(Limit));
    }

    [Fact]
    public async Task Watchers_OfMatchesThatAreShownLater_GetEachInOrderAndNoneEarly()
    {
        var delay = TimeSpan.FromSeconds(0.3);
        await using var served = await ServedDaemon.StartAsync(delay);
        TaskCompletionSource[] read = [.. Enumerable.Range(0, 3).Select(_ => new TaskCompletionSource())];
        var publishing = Task.Run(async () =>
        {
            // Each match begins while frames of the one before are not shown yet.
            for (var i = 0; i < 3; i++) await served.PublishAsync($"match {i}", read[i].Task);
        });
        for (var i = 0; i < 3; i++)
        {
            using var call = served.Client.Subscribe(Every, Watcher);
            await call.ResponseHeadersAsync.WaitAsync(Limit);
            read[i].SetResult();
            var frames = new List<(string, uint)>();
            await foreach (var frame in call.ResponseStream.ReadAllAsync())
            {
                var age = DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch - TimeSpan.FromTicks(frame.CapturedUnixNs / 100);
                Assert.True(age >= delay, $"{age} after it was captured");
                frames.Add((frame.MatchId, frame.GameLoop));
            }
            Assert.Equal(ServedDaemon.Expected($"match {i}"), frames);
        }
        await publishing;
    }

    [Fact]
    public async Task ReaderFromTheOldestFrame_ThatComesBeforeTheMatch_GetsItsId()
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero);
        using var call = served.Client.Subscribe(new SubscribeRequest(Every) { StartOldest = true }, Watcher);
        await call.ResponseHeadersAsync.WaitAsync(Limit);
        await served.PublishAsync("late");
        Assert.Equal(ServedDaemon.Expected("late"), await ServedDaemon.ReadAsync(call).WaitAsync(Limit));
    }

    [Fact]
    public async Task ManyMatches_LeaveNothingBehind()
    {
        await using var served = await ServedDaemon.StartAsync(TimeSpan.Zero);
        for (var i = 0; i < 40; i++)
        {
            var reading = served.ReadAsync(ServedDaemon.WatchToken);
            await served.Daemon.Run.Hub.WaitForSubscribersAsync(count => count == 1, CancellationToken.None).WaitAsync(Limit);
            await served.PublishAsync($"match {i}");
            Assert.Equal(ServedDaemon.Expected($"match {i}"), await reading.WaitAsync(Limit));
        }
        Assert.True(SpinWait.SpinUntil(() => served.Daemon.MatchesThatEnd == 0, Limit));
        var status = await served.Client.GetStatusAsync(new GetStatusRequest(), Actor);
        Assert.Empty(status.Subscribers);
        var totals = served.Daemon.Api.ViewOf(AccessLevel.Act).Share.Totals();
        Assert.Equal(40 * ServedDaemon.Frames, (uint)totals.Values.Aggregate(0UL, (sum, each) => sum + each.FramesSent));
    }
}
