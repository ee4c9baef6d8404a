using System.Buffers;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Drawing;
using Abathur.Sync.Transports.Framing;
using Abathur.Sync.V1;
using ResponseObservation = SC2APIProtocol.ResponseObservation;

namespace Abathur.Sync.Tests.Matches;

/// <summary>A match that is shown later: exact to a millisecond, because each wait of the delay is one of the test's clock.</summary>
public sealed class MatchDelayTests : IDisposable
{
    private static readonly TimeSpan Delay = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private static readonly SubscriptionEnd Over = new(SubscriptionEndReason.MatchOver, "over");
    private static readonly SubscriptionEnd Stopped = new(SubscriptionEndReason.Stopping, "stopped");

    private readonly ManualClock _clock = new();
    private readonly ListLogger _log = new();
    private readonly MatchRun _live;
    private readonly MatchView _view;
    private readonly MatchDelay _delay;

    public MatchDelayTests()
    {
        _live = new MatchRun(new HubOptions(), Abilities.NotWaiting, _clock);
        _view = new MatchView(new HubShare(new HubOptions(), _clock), Abilities.NotWaiting) { Delay = Delay };
        _delay = new MatchDelay(_live, _view, Task.CompletedTask, _log, _clock);
    }

    private MatchRun Later => _view.Current;

    public void Dispose()
    {
        _delay.Stop(Stopped);
        Assert.True(_delay.Completed.Wait(Limit));
        _delay.Dispose();
        _view.Dispose();
        _live.Dispose();
    }

    [Fact]
    public async Task Frames_AreShownWhenTheyAreAsOldAsTheDelay_NotATickBefore()
    {
        Begin();
        using var watcher = Subscribe();
        for (var loop = 10u; loop < 14; loop++)
        {
            var captured = FrameStamp.Now(_clock);
            await PublishAsync(loop);
            await PumpWaitsAsync();
            _clock.Advance(Delay - Tick);
            Assert.False(watcher.TakeOne());
            _clock.Advance(Tick);
            var frame = await watcher.NextAsync();
            Assert.Equal(loop, frame.GameLoop);
            Assert.Equal((ulong)loop - 9, frame.Sequence);
            Assert.Equal((captured.MonotonicNs, captured.UnixNs), (frame.CapturedMonotonicNs, frame.CapturedUnixNs));
            // The clock was never elsewhere than where it was moved to: it was not published before, either.
            Assert.Equal(Nanoseconds(Delay), frame.PublishedMonotonicNs - frame.CapturedMonotonicNs);
            Assert.Equal(ResponseObservation.Parser.ParseFrom(RecordingSample.Observation(loop)), frame.Observation);
        }
    }

    [Fact]
    public async Task Frames_OfOneSecond_EachWaitForTheirOwnTime()
    {
        Begin();
        using var watcher = Subscribe();
        for (var loop = 1u; loop <= 20; loop++)
        {
            await PublishAsync(loop);
            _clock.Advance(TimeSpan.FromMilliseconds(50));
        }
        await PumpWaitsAsync();
        _clock.Advance(Delay - TimeSpan.FromSeconds(1) - Tick);
        Assert.False(watcher.TakeOne());
        for (var loop = 1u; loop <= 20; loop++)
        {
            _clock.Advance(loop == 1 ? Tick : TimeSpan.FromMilliseconds(50));
            var frame = await watcher.NextAsync();
            Assert.Equal((loop, Nanoseconds(Delay)), (frame.GameLoop, frame.PublishedMonotonicNs - frame.CapturedMonotonicNs));
            Assert.False(watcher.TakeOne());
            if (loop < 20) await PumpWaitsAsync();
        }
    }

    [Fact]
    public async Task Frames_AtAnyTimes_AreAllShownAndNoneEarly()
    {
        const int Frames = 500;
        Begin();
        using var watcher = Subscribe();
        var random = new Random(1);
        var (loop, published) = (1u, 0);
        while (watcher.Taken.Count < Frames)
        {
            for (var i = random.Next(4); i > 0 && published < Frames; i--, published++)
            {
                await _live.WaitForHistoryAsync();
                await PublishAsync(loop++);
            }
            _clock.Advance(TimeSpan.FromMilliseconds(random.Next(200)));
            while (watcher.TakeOne())
            {
            }
        }
        Assert.Equal(Enumerable.Range(1, Frames), watcher.Taken.Select(each => (int)each.GameLoop));
        Assert.All(watcher.Taken, each => Assert.True(each.PublishedMonotonicNs - each.CapturedMonotonicNs >= Nanoseconds(Delay)));
    }

    [Fact]
    public async Task Match_IsShownLaterAsWell()
    {
        var waiting = Later.WaitForMatchAsync(CancellationToken.None);
        var match = Begin();
        await PumpWaitsAsync();
        _clock.Advance(Delay - Tick);
        Assert.Null(Later.Match);
        Assert.False(waiting.IsCompleted);
        _clock.Advance(Tick);
        Assert.Same(match, await waiting.WaitAsync(Limit));
        Assert.Equal(Nanoseconds(Delay), Later.BeganNs - _live.BeganNs);
    }

    [Fact]
    public async Task Match_WhoseFirstFrameIsOlder_BeginsWithIt()
    {
        var captured = FrameStamp.Now(_clock);
        _clock.Advance(Tick);
        Begin();
        using var watcher = Subscribe();
        await _live.PublishAsync(SharedFrame.Rent(1, captured, SharedBuffer.CopyOf(RecordingSample.Observation(1))));
        await EncodedAsync();
        await PumpWaitsAsync();
        _clock.Advance(Delay - Tick);
        var frame = await watcher.NextAsync();
        Assert.Equal(Nanoseconds(Delay), frame.PublishedMonotonicNs - frame.CapturedMonotonicNs);
    }

    [Fact]
    public async Task TimelineAndHistory_AreThoseOfTheShownFrames()
    {
        Begin();
        using var watcher = Subscribe();
        await PublishAsync(10);
        await PublishAsync(40);
        _clock.Advance(TimeSpan.FromMilliseconds(500));
        await PublishAsync(80);
        await PumpWaitsAsync();
        Assert.Empty(Later.Timeline(0).GameLoops);
        Assert.Null(Later.HistoryRange);
        _clock.Advance(Delay - TimeSpan.FromMilliseconds(500));
        await watcher.NextAsync();
        await watcher.NextAsync();
        Assert.Equal([10u, 40], Later.Timeline(0).GameLoops);
        Assert.Equal((10u, 40u), Later.HistoryRange);
        var status = new Status();
        Later.Describe(status);
        Assert.Equal((2ul, 40u), (status.FramesPublished, status.History.LastGameLoop));
        Assert.Equal([10u, 40, 80], _live.Timeline(0).GameLoops);
    }

    [Fact]
    public async Task Drawings_AreThoseOfTheTime()
    {
        Begin();
        using var watcher = Subscribe();
        await PublishAsync(1);
        _clock.Advance(TimeSpan.FromMilliseconds(100));
        Draw("first");
        await PublishAsync(2);
        _clock.Advance(TimeSpan.FromMilliseconds(100));
        Draw("second");
        await PublishAsync(3);
        await PumpWaitsAsync();
        _clock.Advance(Delay - TimeSpan.FromMilliseconds(200));
        await watcher.NextAsync();
        await PumpWaitsAsync();
        _clock.Advance(TimeSpan.FromMilliseconds(100) - Tick);
        Assert.Equal(0, Later.Drawings.Version);
        _clock.Advance(Tick);
        await watcher.NextAsync();
        await UntilAsync(() => Later.Drawings.Version == 1);
        Assert.Equal(["first"], Texts(Later.Drawings));
        await PumpWaitsAsync();
        _clock.Advance(TimeSpan.FromMilliseconds(100) - Tick);
        Assert.Equal(["first"], Texts(Later.Drawings));
        _clock.Advance(Tick);
        await watcher.NextAsync();
        await UntilAsync(() => Later.Drawings.Version == 2);
        Assert.Equal(["second"], Texts(Later.Drawings));
        Assert.Equal(3u, Later.Drawings.Read(out _).GameLoop);
        Assert.Equal(["second"], Texts(_live.Drawings));
    }

    [Fact]
    public async Task End_IsShownLaterAsWell_AndTheRestBefore()
    {
        Begin();
        using var watcher = Subscribe();
        await PublishAsync(1);
        await EncodedAsync();
        _clock.Advance(TimeSpan.FromMilliseconds(300));
        await _live.FinishAsync(Over);
        _delay.End(Over, isLast: true);
        await PumpWaitsAsync();
        _clock.Advance(Delay - TimeSpan.FromMilliseconds(300));
        Assert.Equal(1u, (await watcher.NextAsync()).GameLoop);
        await PumpWaitsAsync();
        _clock.Advance(TimeSpan.FromMilliseconds(300) - Tick);
        Assert.False(_delay.Completed.IsCompleted);
        _clock.Advance(Tick);
        Assert.Equal(Over, await _delay.Completed.WaitAsync(Limit));
        Assert.Null(watcher.Subscription.End);
    }

    [Fact]
    public async Task End_OfAMatchWithoutFrames_IsShownBehindItsBeginning()
    {
        var match = Begin();
        _delay.End(Over, isLast: true);
        await PumpWaitsAsync();
        _clock.Advance(Delay - Tick);
        Assert.Null(Later.Match);
        _clock.Advance(Tick);
        Assert.Equal(Over, await _delay.Completed.WaitAsync(Limit));
        Assert.Same(match, Later.Match);
    }

    [Fact]
    public async Task Stop_EndsAtOnceAndShowsNothing()
    {
        Begin();
        using var watcher = Subscribe();
        await PublishAsync(1);
        await PumpWaitsAsync();
        _delay.Stop(Stopped);
        Assert.Equal(Stopped, await _delay.Completed.WaitAsync(Limit));
        _clock.Advance(2 * Delay);
        Assert.False(watcher.TakeOne());
        Assert.Null(Later.Match);
    }

    [Fact]
    public async Task Stop_WhileTheEndWaits_EndsAtOnce()
    {
        Begin();
        _delay.End(Over, isLast: true);
        await PumpWaitsAsync();
        _delay.Stop(Stopped);
        Assert.Equal(Stopped, await _delay.Completed.WaitAsync(Limit));
    }

    [Fact]
    public async Task Frames_DroppedBeforeTheyWereShown_EndSubscriptionsAndTheNextOnesFollow()
    {
        Begin();
        using var watcher = Subscribe();
        await PublishAsync(10);
        await PumpWaitsAsync();
        _clock.Advance(Delay);
        await watcher.NextAsync();
        await PublishAsync(11);
        // It has read this frame, and none behind it.
        await PumpWaitsAsync();
        for (var loop = 12u; loop < 15; loop++) await PublishAsync(loop);
        await EncodedAsync();
        // The game loop goes back: what was kept is dropped.
        await PublishAsync(5);
        await PublishAsync(6);
        await EncodedAsync();
        _clock.Advance(Delay - Tick);
        Assert.False(watcher.TakeOne());
        _clock.Advance(Tick);
        Assert.Equal(11u, (await watcher.NextAsync()).GameLoop);
        await UntilAsync(() => Later.Hub.Sequence == 7);
        Assert.Equal(SubscriptionEndReason.SlowConsumer, watcher.Subscription.End?.Reason);
        Assert.Contains("--delay", watcher.Subscription.End!.Message, StringComparison.Ordinal);
        Assert.False(watcher.TakeOne());
        Assert.EndsWith("more waited than --history-mb allows: 3", Assert.Single(_log.Messages), StringComparison.Ordinal);
        Assert.Equal((5u, 6u), Later.HistoryRange);

        using var other = Subscribe();
        await PublishAsync(7);
        await PumpWaitsAsync();
        _clock.Advance(Delay);
        var frame = await other.NextAsync();
        // The one before it, if it was still being given out when this one subscribed.
        if (frame.GameLoop == 6) frame = await other.NextAsync();
        Assert.Equal((7u, 8ul), (frame.GameLoop, frame.Sequence));
        Assert.Equal(Nanoseconds(Delay), frame.PublishedMonotonicNs - frame.CapturedMonotonicNs);
        Assert.Single(_log.Messages);
    }

    [Fact]
    public async Task Frame_ThatCannotBeKept_IsMissing()
    {
        Begin();
        await _live.PublishAsync(SharedFrame.Rent(1, FrameStamp.Now(_clock), SharedBuffer.CopyOf([0x0a, 0xff])));
        await EncodedAsync();
        await PublishAsync(2);
        await PumpWaitsAsync();
        _clock.Advance(Delay);
        await UntilAsync(() => Later.Hub.NewestGameLoop == 2);
        Assert.Equal(2ul, Later.Hub.Sequence);
        Assert.EndsWith("more waited than --history-mb allows: 1", Assert.Single(_log.Messages), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Plots_AreShownWhenTheyAreAsOldAsTheDelay()
    {
        Begin();
        using var watcher = Subscribe();
        await PublishAsync(5);
        _clock.Advance(TimeSpan.FromMilliseconds(100));
        // Of an earlier game loop, and of the newest while the game stands still.
        Plot(3, 1);
        _clock.Advance(TimeSpan.FromMilliseconds(100));
        Plot(null, 2);
        await PumpWaitsAsync();
        _clock.Advance(Delay - TimeSpan.FromMilliseconds(200));
        await watcher.NextAsync();
        await PumpWaitsAsync();
        _clock.Advance(TimeSpan.FromMilliseconds(100) - Tick);
        Assert.Empty(Points(Later));
        _clock.Advance(Tick);
        await UntilAsync(() => Points(Later).Any());
        await PumpWaitsAsync();
        _clock.Advance(TimeSpan.FromMilliseconds(100) - Tick);
        Assert.Equal([(3u, 1.0)], Points(Later));
        _clock.Advance(Tick);
        await UntilAsync(() => Points(Later).Count() == 2);
        Assert.Equal([(3u, 1.0), (5u, 2.0)], Points(Later));
        Assert.Equal(Points(_live), Points(Later));
    }

    [Fact]
    public async Task Plots_BeforeTheFirstFrameOfAMatch_AreNotShownBeforeIt()
    {
        Begin();
        Plot(null, 1);
        await PumpWaitsAsync();
        _clock.Advance(Delay - Tick);
        Assert.Empty(Points(Later));
        Assert.Null(Later.Match);
        _clock.Advance(Tick);
        await UntilAsync(() => Points(Later).Any());
        Assert.NotNull(Later.Match);
    }

    [Fact]
    public void MessagesInTime_MoreThanTheLimit_TheNewestIsReplacedOrRefused()
    {
        var messages = new MessagesInTime(1000, _clock);
        for (byte i = 0; i < 100; i++)
        {
            messages.Replace([i]);
            _clock.Advance(Tick);
        }
        Assert.Equal(1000 / 97, messages.Count);
        Assert.False(messages.TryAdd([100]));
        var taken = new List<byte>();
        long last = 0;
        while (messages.FirstNs is { } atNs)
        {
            Assert.True(atNs > last);
            last = atNs;
            taken.Add(Assert.Single(messages.Take()));
        }
        // The oldest ones, in order, and the newest one at its own time.
        Assert.Equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 99], taken);
        Assert.Equal(Nanoseconds(Tick), FrameStamp.MonotonicNow(_clock) - last);
        Assert.True(messages.TryAdd([100]));
    }

    private Match Begin()
    {
        var match = new Match { MatchId = "m", RunId = "r" };
        _live.Begin(match);
        return match;
    }

    private void Draw(string text) => Assert.NotNull(_live.Drawings.TryDraw(new DrawRequest { Layer = "", Shapes = { Text(text) } }));

    private void Plot(uint? loop, double value)
    {
        var request = new PlotRequest { Agent = "a", Values = { new PlotRequest.Types.Sample { Name = "n", Value = value } } };
        if (loop is { } of) request.GameLoop = of;
        Assert.NotNull(_live.Plots.TryPlot(request, out _));
    }

    private static IEnumerable<(uint, double)> Points(MatchRun run) =>
        run.Plots.Between(0, uint.MaxValue).Series.SelectMany(series => series.GameLoops.Zip(series.Values));

    private async Task PublishAsync(uint loop) =>
        await _live.PublishAsync(SharedFrame.Rent(loop, FrameStamp.Now(_clock), SharedBuffer.CopyOf(RecordingSample.Observation(loop))));

    /// <summary>Waits until all that was published is kept.</summary>
    private Task EncodedAsync()
    {
        // The clock stands still: without it, the last frame would wait for it.
        _live.History!.Await();
        return UntilAsync(() => !_live.History.HasPending);
    }

    /// <summary>Waits until the delay has seen all that was published, and waits for the clock.</summary>
    private async Task PumpWaitsAsync()
    {
        await EncodedAsync();
        // Only the delay is to wait, not the history of what it has shown.
        Later.History!.Await();
        await UntilAsync(() => _clock.HasWaiter);
    }

    private static Task UntilAsync(Func<bool> holds)
    {
        Assert.True(SpinWait.SpinUntil(holds, Limit));
        return Task.CompletedTask;
    }

    private Watcher Subscribe() => new(
        Later.Subscribe(new SubscriptionOptions
        {
            Policy = Policy.Every,
            Encoding = Encoding.Proto,
            BufferFrames = 1024,
            Transport = "test",
            Peer = "test",
        })!);

    private static Shape Text(string text) => new()
    {
        Text = new() { At = new() { X = 1, Y = 1 }, Text_ = text },
    };

    private static IEnumerable<string> Texts(DrawingBoard board) =>
        board.Read(out _).Layers.SelectMany(layer => layer.Shapes).Select(drawn => drawn.Shape.Text.Text_);

    private static long Nanoseconds(TimeSpan time) => time.Ticks * TimeSpan.NanosecondsPerTick;

    /// <summary>Takes frames as they would travel.</summary>
    private sealed class Watcher(Subscription subscription) : IDisposable
    {
        public Subscription Subscription => subscription;

        public List<V1.Frame> Taken { get; } = [];

        public bool TakeOne()
        {
            if (!subscription.TryTake(out var frame, out var dropped)) return false;
            Assert.Equal(0ul, dropped.Count);
            var output = new ArrayBufferWriter<byte>();
            ProtoFraming.WriteFrame(output, frame, dropped);
            frame.Release();
            Taken.Add(V1.Frame.Parser.ParseFrom(output.WrittenSpan));
            return true;
        }

        public async Task<V1.Frame> NextAsync()
        {
            while (!TakeOne())
            {
                Assert.Null(subscription.End);
                await subscription.WaitAsync().AsTask().WaitAsync(Limit);
            }
            return Taken[^1];
        }

        public void Dispose() => subscription.Dispose();
    }
}
