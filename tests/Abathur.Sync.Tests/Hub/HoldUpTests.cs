using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Tests.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Hub;

/// <summary>How long readers may hold up a playback, alone and together.</summary>
public sealed class HoldUpTests : IDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Stall = new HubOptions().StallTimeout;
    private readonly ManualClock _clock = new();
    private readonly MatchRun _run;

    public HoldUpTests()
    {
        // Without a history only waits for readers use the clock.
        _run = new MatchRun(new HubOptions { HistoryBytes = 0 }, Abilities.Waiting, _clock);
        _run.Begin(new Match { MatchId = "m" });
    }

    public void Dispose() => _run.Dispose();

    [Theory]
    [InlineData(Encoding.Proto)]
    [InlineData(Encoding.Json)]
    public async Task FiveReadersThatTakeNothing_AreWaitedForAtTheSameTime(Encoding encoding)
    {
        var stalled = Enumerable.Range(0, 5).Select(_ => _run.Subscribe(Options(encoding))!).ToList();
        using var steady = _run.Subscribe(Options(Encoding.Proto) with { Policy = Policy.Latest })!;
        var held = await PublishUntilHeldUpAsync(encoding);
        Assert.All(stalled, each => Assert.Null(each.End));

        _clock.Advance(Stall);

        await held.WaitAsync(Limit);
        Assert.All(stalled, each => Assert.Equal(SubscriptionEndReason.SlowConsumer, each.End?.Reason));
        foreach (var each in stalled) each.Dispose();
    }

    [Theory]
    [InlineData(Encoding.Proto)]
    [InlineData(Encoding.Json)]
    public async Task ReaderThatIsWaitedForAtShutdown_IsToldOfTheShutdown(Encoding encoding)
    {
        using var reader = _run.Subscribe(Options(encoding))!;
        var held = await PublishUntilHeldUpAsync(encoding);

        var finishing = _run.FinishAsync(new(SubscriptionEndReason.Stopping, "shutdown"));
        await held.WaitAsync(Limit);
        _clock.Advance(new HubOptions().StopTimeout);

        await finishing.WaitAsync(Limit);
        Assert.Equal(SubscriptionEndReason.Stopping, reader.End?.Reason);
    }

    [Fact]
    public async Task ThreeLockstepReadersThatDoNotAnswer_AreWaitedForAtTheSameTime()
    {
        var silent = Enumerable.Range(0, 3)
            .Select(_ => _run.Subscribe(Options() with { Policy = Policy.Lockstep, BufferFrames = 4 })!)
            .ToList();
        var publishing = Publish(1);
        _clock.Advance(TimeSpan.FromSeconds(3));
        await publishing.WaitAsync(Limit);
        Assert.All(silent, each => Assert.Equal(SubscriptionEndReason.AckTimeout, each.End?.Reason));
        foreach (var each in silent) each.Dispose();
    }

    [Fact]
    public async Task WatcherThatTakesAFrameEachNineSeconds_IsEndedAfterTenSecondsInAll()
    {
        using var watcher = _run.Subscribe(Options() with { MayAct = false })!;
        await Publish(1);
        await HoldUpAsync(2, TimeSpan.FromSeconds(9), watcher);
        Assert.Null(watcher.End);

        var publishing = Publish(3);
        // Of the ten seconds one was left, and a sixth of nine has come back.
        _clock.Advance(TimeSpan.FromSeconds(3));
        await publishing.WaitAsync(Limit);

        Assert.Equal(SubscriptionEndReason.SlowConsumer, watcher.End?.Reason);
        Assert.Contains("or a token for acting", watcher.End?.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ManyWatchers_ShareTheTime()
    {
        using var first = _run.Subscribe(Options() with { MayAct = false })!;
        using var second = _run.Subscribe(Options() with { MayAct = false })!;
        await Publish(1);
        var publishing = Publish(2);
        await TakeAsync(second);
        _clock.Advance(TimeSpan.FromSeconds(9));
        await TakeAsync(first);
        await publishing.WaitAsync(Limit);

        // Now it is the other one that takes nothing.
        await TakeAsync(first);
        publishing = Publish(3);
        _clock.Advance(TimeSpan.FromSeconds(3));
        await publishing.WaitAsync(Limit);
        Assert.Null(first.End);
        Assert.Equal(SubscriptionEndReason.SlowConsumer, second.End?.Reason);
    }

    [Fact]
    public async Task Watcher_AfterAQuietMinute_HasItsTimeAgain()
    {
        using var watcher = _run.Subscribe(Options() with { MayAct = false })!;
        await Publish(1);
        for (var loop = 2u; loop < 8; loop++)
        {
            await HoldUpAsync(loop, TimeSpan.FromSeconds(9), watcher);
            _clock.Advance(TimeSpan.FromMinutes(1));
        }
        Assert.Null(watcher.End);
    }

    [Fact]
    public async Task ReaderThatMayAct_HoldsUpAsLongAsItTakesSomething()
    {
        using var reader = _run.Subscribe(Options())!;
        await Publish(1);
        for (var loop = 2u; loop < 20; loop++) await HoldUpAsync(loop, TimeSpan.FromSeconds(9), reader);
        Assert.Null(reader.End);
    }

    [Theory]
    [InlineData(0.1, true)]
    [InlineData(2, false)]
    public async Task WatcherOfAPlaybackWithoutAPace_SetsThePaceButDoesNotStopIt(double seconds, bool mayStay)
    {
        using var watcher = _run.Subscribe(Options() with { MayAct = false })!;
        await Publish(1, isPaced: false);
        for (var loop = 2u; loop < 200 && watcher.End is null; loop++)
            await HoldUpAsync(loop, TimeSpan.FromSeconds(seconds), watcher, isPaced: false);
        Assert.Equal(mayStay, watcher.End is null);
    }

    /// <summary>Publishes for readers that take nothing as many frames as there is room for, and returns the publishing of the next
    /// one.</summary>
    private async Task<Task> PublishUntilHeldUpAsync(Encoding encoding)
    {
        // A reader has room for one. The encoder holds another one for it, and has a queue.
        var room = encoding == Encoding.Proto ? 1u : 2u + (uint)new HubOptions().EncodeQueueFrames;
        for (var loop = 1u; loop <= room; loop++) await Publish(loop).WaitAsync(Limit);
        var held = Publish(room + 1);
        // The encoder waits by itself, a little after it has taken the frame that made room for the last one.
        Assert.True(SpinWait.SpinUntil(() => _clock.HasWaiter, Limit));
        return held;
    }

    private async Task HoldUpAsync(uint loop, TimeSpan time, Subscription reader, bool isPaced = true)
    {
        var publishing = Publish(loop, isPaced);
        Assert.Equal(reader.End is not null, publishing.IsCompleted);
        _clock.Advance(time);
        if (reader.End is null) await TakeAsync(reader);
        await publishing.WaitAsync(Limit);
    }

    private static async Task TakeAsync(Subscription subscription)
    {
        EncodedFrame frame;
        while (!subscription.TryTake(out frame, out _)) await subscription.WaitAsync().AsTask().WaitAsync(Limit);
        frame.Release();
    }

    private static SubscriptionOptions Options(Encoding encoding = Encoding.Proto) => new()
    {
        Policy = Policy.Every,
        Encoding = encoding,
        BufferFrames = 1,
        LockstepTimeout = TimeSpan.FromSeconds(3),
        Transport = "test",
        Peer = "test",
    };

    private Task Publish(uint gameLoop, bool isPaced = true)
    {
        var bytes = RecordingSample.Observation(gameLoop);
        var buffer = SharedBuffer.CopyOf(bytes);
        return _run.PublishAsync(SharedFrame.Rent(gameLoop, FrameStamp.Now(_clock), buffer), isPaced).AsTask();
    }
}
