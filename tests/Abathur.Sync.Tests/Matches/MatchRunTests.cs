using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Matches;

public class MatchRunTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private readonly ManualClock _clock = new();

    [Fact]
    public async Task Latest_ReaderLags_GetsTheNewestAndHowManyItMissed()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Latest))!;

        for (var loop = 10u; loop <= 14; loop++) await Publish(run, loop);

        Assert.True(subscription.TryTake(out var frame, out var missed));
        Assert.Equal((14u, 5ul), (frame.GameLoop, frame.Sequence));
        Assert.Equal(new DroppedFrames(4, 10, 13), missed);
        frame.Release();
        Assert.False(subscription.TryTake(out _, out _));
    }

    [Fact]
    public async Task Latest_ReaderKeepsUp_MissesNothing()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Latest))!;
        for (var loop = 1u; loop <= 5; loop++)
        {
            await Publish(run, loop);
            Assert.True(subscription.TryTake(out var frame, out var missed));
            Assert.Equal((loop, default(DroppedFrames)), (frame.GameLoop, missed));
            frame.Release();
        }
    }

    [Fact]
    public async Task Every_PlaybackIsFasterThanReader_WaitsAndLosesNothing()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Every, buffer: 2))!;
        await Publish(run, 1);
        await Publish(run, 2);

        var third = Publish(run, 3).AsTask();
        Assert.False(third.IsCompleted);

        Assert.Equal(1u, Take(subscription));
        await third.WaitAsync(Limit);
        Assert.Equal(2u, Take(subscription));
        Assert.Equal(3u, Take(subscription));
    }

    [Fact]
    public async Task Every_ReaderTakesNothingForTheStallTimeout_IsEndedAndPlaybackGoesOn()
    {
        var run = Hub(sourceWaits: true);
        using var stalled = run.Subscribe(Options(Policy.Every, buffer: 1))!;
        using var other = run.Subscribe(Options(Policy.Latest))!;
        await Publish(run, 1);
        var second = Publish(run, 2).AsTask();

        _clock.Advance(new HubOptions().StallTimeout);
        await second.WaitAsync(Limit);

        Assert.Equal(SubscriptionEndReason.SlowConsumer, stalled.End?.Reason);
        Assert.Equal("no frame was read for 10 s with 1 queued", stalled.End?.Message);
        Assert.Equal(2u, Take(other));
        Assert.False(stalled.Aborted.IsCancellationRequested);
        _clock.Advance(Subscription.Grace);
        Assert.True(stalled.Aborted.IsCancellationRequested);
    }

    [Fact]
    public async Task Every_LiveSourceAndFullBuffer_EndsThatSubscriptionOnly()
    {
        var run = Hub(sourceWaits: false);
        using var slow = run.Subscribe(Options(Policy.Every, buffer: 2))!;
        using var fast = run.Subscribe(Options(Policy.Every, buffer: 2))!;
        for (var loop = 1u; loop <= 3; loop++)
        {
            await Publish(run, loop).AsTask().WaitAsync(Limit);
            Assert.Equal(loop, Take(fast));
        }

        Assert.Equal(SubscriptionEndReason.SlowConsumer, slow.End?.Reason);
        Assert.Equal("2 frames are queued, and this source does not wait for readers", slow.End?.Message);
        // What was queued before the end can still be had.
        Assert.Equal(1u, Take(slow));
        Assert.Equal(2u, Take(slow));
        Assert.Null(fast.End);
    }

    [Fact]
    public async Task Lockstep_NextFrameIsNotPublishedBeforeTheAnswer()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Lockstep))!;
        var publishing = Publish(run, 1).AsTask();
        Assert.Equal(1u, Take(subscription));
        Assert.False(publishing.IsCompleted);

        subscription.Acknowledge(1);

        await publishing.WaitAsync(Limit);
    }

    [Fact]
    public async Task Lockstep_NoAnswerInTime_EndsThatSubscriptionAndGoesOn()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Lockstep) with { LockstepTimeout = TimeSpan.FromSeconds(3) })!;
        var publishing = Publish(run, 1).AsTask();

        _clock.Advance(TimeSpan.FromSeconds(3));

        await publishing.WaitAsync(Limit);
        Assert.Equal(new(SubscriptionEndReason.AckTimeout, "frame 1 was not acknowledged within 3 s"), subscription.End);
    }

    [Fact]
    public async Task Lockstep_JsonEncoding_WaitsForTheAnswerAsWell()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Lockstep, encoding: Encoding.Json))!;
        var publishing = Publish(run, 1).AsTask();
        await subscription.WaitAsync().AsTask().WaitAsync(Limit);
        Assert.Equal(1u, Take(subscription));
        Assert.False(publishing.IsCompleted);
        subscription.Acknowledge(1);
        await publishing.WaitAsync(Limit);
    }

    [Fact]
    public async Task Credits_UsedUp_HoldFramesBackUntilAcknowledged()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Latest) with { Credits = 1 })!;
        await Publish(run, 1);
        Assert.Equal(1u, Take(subscription));
        await Publish(run, 2);
        await Publish(run, 3);
        Assert.False(subscription.TryTake(out _, out _));

        subscription.Acknowledge(1);

        Assert.True(subscription.TryTake(out var frame, out var missed));
        Assert.Equal((3u, new DroppedFrames(1, 2, 2)), (frame.GameLoop, missed));
        frame.Release();
    }

    [Fact]
    public async Task EveryGameLoops_ThinsAndDoesNotCountAsDropped()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Every) with { EveryGameLoops = 4 })!;
        for (var loop = 100u; loop < 110; loop++) await Publish(run, loop);
        // A seek back starts the count again.
        await Publish(run, 50);

        var loops = new List<uint>();
        while (subscription.TryTake(out var frame, out var missed))
        {
            Assert.Equal(default, missed);
            loops.Add(frame.GameLoop);
            frame.Release();
        }
        Assert.Equal([100u, 104, 108, 50], loops);
    }

    [Fact]
    public async Task SameStream_ManySubscribers_ShareOnePayload()
    {
        var run = Hub(sourceWaits: true);
        using var first = run.Subscribe(Options(Policy.Every, encoding: Encoding.Json))!;
        using var second = run.Subscribe(Options(Policy.Every, encoding: Encoding.Json))!;
        await Publish(run, 1);
        await first.WaitAsync().AsTask().WaitAsync(Limit);
        await second.WaitAsync().AsTask().WaitAsync(Limit);

        Assert.True(first.TryTake(out var one, out _));
        Assert.True(second.TryTake(out var two, out _));

        Assert.Same(one, two);
        Assert.StartsWith("{\"observation\":{", System.Text.Encoding.UTF8.GetString(one.Payload.Span), StringComparison.Ordinal);
        one.Release();
        two.Release();
    }

    [Fact]
    public async Task BadObservation_CannotBeJson_EndsThatStreamOnly()
    {
        var run = Hub(sourceWaits: true);
        using var json = run.Subscribe(Options(Policy.Every, encoding: Encoding.Json))!;
        using var plain = run.Subscribe(Options(Policy.Every))!;
        await run.PublishAsync(SharedFrame.Rent(5, FrameStamp.Now(_clock), SharedBuffer.CopyOf([0x1a, 0xff])));
        await json.WaitAsync().AsTask().WaitAsync(Limit);

        Assert.Equal(SubscriptionEndReason.BadFrame, json.End?.Reason);
        Assert.Equal(5u, Take(plain));
        Assert.Null(plain.End);
    }

    [Fact]
    public async Task Finish_QueuedFramesComeBeforeTheEnd_AndLateSubscribersAreToldAtOnce()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Every, encoding: Encoding.Json))!;
        await Publish(run, 1);
        await run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over")).WaitAsync(Limit);

        Assert.Equal(1u, Take(subscription));
        Assert.Equal(SubscriptionEndReason.MatchOver, subscription.End?.Reason);
        using var late = run.Subscribe(Options(Policy.Latest))!;
        Assert.Equal(SubscriptionEndReason.MatchOver, late.End?.Reason);
    }

    [Fact]
    public async Task WaitForMatch_BeginLater_AnswersAllWhoWait()
    {
        var run = new MatchRun(new HubOptions(), Abilities.NotWaiting, _clock);
        var waiting = run.WaitForMatchAsync(CancellationToken.None);
        Assert.Null(run.Match);
        Assert.False(waiting.IsCompleted);
        run.Begin(new Match { MatchId = "late" });
        Assert.Equal("late", (await waiting.WaitAsync(Limit))?.MatchId);
        Assert.Throws<InvalidOperationException>(() => run.Begin(new Match()));
    }

    [Fact]
    public async Task WaitForMatch_FinishedWithout_AnswersNull()
    {
        var run = new MatchRun(new HubOptions(), Abilities.NotWaiting, _clock);
        var waiting = run.WaitForMatchAsync(CancellationToken.None);
        await run.FinishAsync(new(SubscriptionEndReason.Stopping, "the daemon is shutting down"));
        Assert.Null(await waiting.WaitAsync(Limit));
    }

    [Fact]
    public void Subscribe_TooMany_IsRefused()
    {
        var run = new MatchRun(new HubOptions { MaxSubscriptions = 1 }, Abilities.Waiting, _clock);
        using var first = run.Subscribe(Options(Policy.Latest));
        Assert.NotNull(first);
        Assert.Null(run.Subscribe(Options(Policy.Latest)));
        first.Dispose();
        using var again = run.Subscribe(Options(Policy.Latest));
        Assert.NotNull(again);
    }

    [Fact]
    public async Task Describe_CountsSentAndDropped()
    {
        var share = new HubShare(new HubOptions(), _clock);
        using var run = new MatchRun(share, Abilities.Waiting);
        run.Begin(new Match { MatchId = "match" });
        using var subscription = run.Subscribe(Options(Policy.Latest))!;
        await Publish(run, 1);
        Take(subscription);
        subscription.CountSent(1000);
        await Publish(run, 2);
        await Publish(run, 3);

        var status = new Status();
        run.Describe(status);
        share.Describe(status);

        var row = Assert.Single(status.Subscribers);
        Assert.Equal((1ul, 1ul, 1000ul, 1u, 2u), (row.FramesSent, row.FramesDropped, row.BytesSent, row.FramesWaiting, row.LagGameLoops));
        Assert.Equal((3ul, 1000ul, 3.0), (status.FramesPublished, status.BytesSent, status.FramesPerSecond));
        subscription.Dispose();
        status = new Status();
        share.Describe(status);
        Assert.Equal((0, 1000ul), (status.Subscribers.Count, status.BytesSent));
    }

    [Theory]
    [InlineData(Encoding.Proto)]
    [InlineData(Encoding.Json)]
    public async Task Publish_OthersCameFirst_LosslessReaderIsServedBeforeThem(Encoding encoding)
    {
        var run = Hub(sourceWaits: true);
        var order = new List<Policy>();
        var subscriptions = Enumerable.Range(0, 20).Select(_ => run.Subscribe(Options(Policy.Latest, encoding: encoding))!).ToList();
        subscriptions.Add(run.Subscribe(Options(Policy.Every, encoding: encoding))!);
        var reading = subscriptions.Select(ReadAsync).ToList();

        await Publish(run, 1);
        await Task.WhenAll(reading).WaitAsync(Limit);

        Assert.Equal([Policy.Every, .. Enumerable.Repeat(Policy.Latest, 20)], order);
        subscriptions.ForEach(each => each.Dispose());

        async Task ReadAsync(Subscription subscription)
        {
            // On the thread that wakes it: not through the test runner's synchronization context, which runs several at once.
            await subscription.WaitAsync().ConfigureAwait(false);
            lock (order) order.Add(subscription.Options.Policy);
            Take(subscription);
        }
    }

    [Theory]
    [InlineData(Encoding.Proto)]
    [InlineData(Encoding.Json)]
    public async Task Finish_LastFrameWithResultsIsExcludedByDownsampling_IsSent(Encoding encoding)
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Every, encoding: encoding) with { EveryGameLoops = 8 })!;
        for (var loop = 1u; loop <= 11; loop++) await Publish(run, loop);
        var last = SC2APIProtocol.ResponseObservation.Parser.ParseFrom(RecordingSample.Observation(12));
        last.PlayerResult.Add(new SC2APIProtocol.PlayerResult { PlayerId = 1, Result = SC2APIProtocol.Result.Victory });
        var bytes = Google.Protobuf.MessageExtensions.ToByteArray(last);
        await run.PublishAsync(SharedFrame.Rent(12, FrameStamp.Now(_clock), SharedBuffer.CopyOf(bytes)));
        await run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));

        Assert.Equal([1u, 9, 12], new[] { Take(subscription), Take(subscription), Take(subscription) });
        Assert.False(subscription.TryTake(out _, out _));
    }

    [Fact]
    public async Task Finish_LastFrameWithoutResultsIsExcludedByDownsampling_IsSent()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Every) with { EveryGameLoops = 8 })!;
        for (var loop = 1u; loop <= 12; loop++) await Publish(run, loop);
        await run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));

        Assert.Equal([1u, 9, 12], new[] { Take(subscription), Take(subscription), Take(subscription) });
        Assert.False(subscription.TryTake(out _, out _));
    }

    [Fact]
    public async Task Publish_SteadyState_AllocatesNothingPerSubscriber()
    {
        // Without history, whose encoder would be waited for.
        using var run = new MatchRun(new HubOptions { HistoryBytes = 0 }, Abilities.Waiting, _clock);
        run.Begin(new Match { MatchId = "m" });
        var subscriptions = Enumerable.Range(0, 50).Select(_ => run.Subscribe(Options(Policy.Latest))!).ToList();
        var observation = RecordingSample.Observation(1, 50_000);
        for (var i = 0; i < 200; i++) await Round();

        // Less than one object a frame for each subscriber.
        Allocated.AtMost(100 * 50 * 24 - 1, () =>
        {
            for (var i = 0; i < 100; i++)
            {
                var round = Round();
                // Not awaited: the test must stay on this thread.
                if (!round.IsCompletedSuccessfully) round.AsTask().GetAwaiter().GetResult();
            }
        });
        subscriptions.ForEach(each => each.Dispose());

        ValueTask Round()
        {
            var publishing = run.PublishAsync(SharedFrame.Rent(1, FrameStamp.Now(_clock), SharedBuffer.CopyOf(observation)));
            foreach (var subscription in subscriptions) Take(subscription);
            return publishing;
        }
    }

    [Theory]
    [InlineData(Encoding.Proto)]
    [InlineData(Encoding.Json)]
    [InlineData(Encoding.Columns)]
    public async Task BeginsWithNewest_FrameIsThere_IsGivenItAndThenTheNext(Encoding encoding)
    {
        var run = Hub(sourceWaits: true);
        using var other = run.Subscribe(Options(Policy.Every, encoding: encoding))!;
        await Publish(run, 10);
        await Publish(run, 11);
        Assert.Equal(10u, await TakeNext(other));
        Assert.Equal(11u, await TakeNext(other));

        using var late = run.Subscribe(Options(Policy.Every, encoding: encoding) with { BeginsWithNewest = true })!;
        Assert.Equal(11u, await TakeNext(late));
        await Publish(run, 12);
        Assert.Equal(12u, await TakeNext(late));
        // Other subscribers do not get it twice.
        Assert.Equal(12u, await TakeNext(other));
    }

    [Fact]
    public async Task BeginsWithNewest_NothingIsThere_WaitsForTheFirst()
    {
        var run = Hub(sourceWaits: true);
        using var subscription = run.Subscribe(Options(Policy.Latest) with { BeginsWithNewest = true })!;
        Assert.False(subscription.TryTake(out _, out _));
        await Publish(run, 10);
        Assert.Equal(10u, Take(subscription));
    }

    [Fact]
    public async Task RetainNewest_IsTheLastFrameUntilTheEnd()
    {
        var run = Hub(sourceWaits: true);
        Assert.Null(run.Hub.RetainNewest());
        await Publish(run, 10);
        await Publish(run, 11);
        var newest = run.Hub.RetainNewest()!;
        await Publish(run, 12);
        Assert.Equal(11u, newest.GameLoop);
        Assert.Equal(RecordingSample.Observation(11), newest.Observation.ToArray());
        newest.Release();
        await run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));
        Assert.Null(run.Hub.RetainNewest());
    }

    private static async Task<uint> TakeNext(Subscription subscription)
    {
        while (true)
        {
            if (subscription.TryTake(out var frame, out _))
            {
                var gameLoop = frame.GameLoop;
                frame.Release();
                return gameLoop;
            }
            Assert.True(await subscription.WaitAsync().AsTask().WaitAsync(Limit));
        }
    }

    private MatchRun Hub(bool sourceWaits)
    {
        var run = new MatchRun(new HubOptions(), sourceWaits ? Abilities.Waiting : Abilities.NotWaiting, _clock);
        run.Begin(new Match { MatchId = "m" });
        return run;
    }

    private static SubscriptionOptions Options(Policy policy, int buffer = 64, Encoding encoding = Encoding.Proto) => new()
    {
        Policy = policy,
        Encoding = encoding,
        BufferFrames = policy == Policy.Latest ? 1 : buffer,
        LockstepTimeout = TimeSpan.FromSeconds(10),
        Transport = "test",
        Peer = "test",
    };

    private ValueTask Publish(MatchRun run, uint gameLoop) =>
        run.PublishAsync(SharedFrame.Rent(gameLoop, FrameStamp.Now(_clock), SharedBuffer.CopyOf(RecordingSample.Observation(gameLoop))));

    private static uint Take(Subscription subscription)
    {
        Assert.True(subscription.TryTake(out var frame, out _));
        var gameLoop = frame.GameLoop;
        frame.Release();
        return gameLoop;
    }
}
