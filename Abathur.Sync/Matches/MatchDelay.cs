using Abathur.Sync.Diagnostics;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches.History;
using Abathur.Sync.V1;
using Google.Protobuf;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Matches;

/// <summary>
/// Shows a match later: publishes what is published in one run in one of another view, when it is as old as the delay, and never before.
/// Until then frames wait in the history of the first. Runs on a thread of low priority, as all work for watchers.
/// </summary>
public sealed class MatchDelay : IDisposable
{
    /// <summary>Memory for drawings that wait. Where there is more, drawings of a moment replace those of the moments before.</summary>
    public const int MaxDrawingBytes = 16 * 1024 * 1024;

    /// <summary>Memory for plotted values that wait. Where there is more, they are not shown.</summary>
    public const int MaxPlotBytes = 16 * 1024 * 1024;

    /// <summary>How late a wait may begin.</summary>
    private const long MaxLateNs = 500_000;

    private readonly MatchRun _live;
    private readonly MatchView _view;
    private readonly MatchHistory _history;
    private readonly long _delayNs;
    private readonly TimeProvider _clock;
    private readonly ILogger _log;
    private readonly MessagesInTime _drawings;
    private readonly MessagesInTime _plots;
    private long _drawn;
    private readonly AsyncAutoResetEvent _wake;
    private volatile Ending? _ending;
    private volatile SubscriptionEnd? _stop;
    private volatile MatchRun? _later;
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <param name="live">The match as it is. It keeps a history, and has not begun.</param>
    /// <param name="view">Shows it later.</param>
    /// <param name="turn">Completes when what came before is shown: the begin of the matches before it, and their end where they were over
    /// then.</param>
    /// <param name="log">Gets a message when frames are dropped before they are shown, and when showing them fails.</param>
    /// <param name="clock">Clock of all times.</param>
    public MatchDelay(MatchRun live, MatchView view, Task turn, ILogger log, TimeProvider clock)
    {
        (_live, _view) = (live, view);
        _history = live.History ?? throw new ArgumentException("frames that are shown later wait in a history", nameof(live));
        _delayNs = view.Delay.Ticks * TimeSpan.NanosecondsPerTick;
        _clock = clock;
        _log = log;
        _drawings = new MessagesInTime(MaxDrawingBytes, clock);
        _plots = new MessagesInTime(MaxPlotBytes, clock);
        _wake = new AsyncAutoResetEvent(clock);
        live.Advanced = OnAdvanced;
        live.Plots.Plotted += OnPlotted;
        _history.Grown += _wake.Set;
        Completed = LowPriorityScheduler.Delays.RunAsync(() => ShowAsync(turn));
    }

    /// <summary>Completes when the match has begun for those who see it later.</summary>
    public Task Begun => _begun.Task;

    /// <summary>The match as it is shown; null before that.</summary>
    public MatchRun? Later => _later;

    /// <summary>Whether it shows this match.</summary>
    /// <param name="live">The match as it is.</param>
    public bool Shows(MatchRun live) => live == _live;

    /// <summary>Whether the match is over as it is.</summary>
    public bool IsEnding => _ending is not null;

    /// <summary>Completes when all has been shown, with the end of the match, or when it is told to stop. Then the match may
    /// be finished with it.</summary>
    public Task<SubscriptionEnd> Completed { get; }

    private static SubscriptionEnd Dropped { get; } = new(
        SubscriptionEndReason.SlowConsumer,
        "frames of the match were dropped before they were as old as --delay: subscribe again for those behind them");

    /// <summary>The match is over now, and nothing more is published. That is shown later as well.</summary>
    /// <param name="end">Why.</param>
    /// <param name="isLast">Whether the daemon ends with it, and finishes it.</param>
    public void End(SubscriptionEnd end, bool isLast)
    {
        _ending ??= new Ending(end, NowNs, isLast);
        _wake.Set();
    }

    /// <summary>Ends at once. What has not been shown yet is never shown.</summary>
    public void Stop(SubscriptionEnd end)
    {
        _stop ??= end;
        _wake.Set();
    }

    /// <summary>Drops what is kept. It must have completed.</summary>
    public void Dispose()
    {
        _live.Advanced = null;
        _live.Plots.Plotted -= OnPlotted;
        _history.Grown -= _wake.Set;
        _wake.Dispose();
    }

    private long NowNs => FrameStamp.MonotonicNow(_clock);

    private void OnAdvanced()
    {
        var isDrawn = _live.Drawings.Version != _drawn;
        if (isDrawn) _drawings.Replace(_live.Drawings.Read(out _drawn).ToByteArray());
        if (isDrawn || _later is null) _wake.Set();
    }

    private void OnPlotted(PlotRequest request, uint gameLoop)
    {
        if (_plots.TryAdd(new PlotRequest(request) { GameLoop = gameLoop }.ToByteArray())) _wake.Set();
    }

    private async Task<SubscriptionEnd> ShowAsync(Task turn)
    {
        using var kept = new KeptFrames(_history);
        SharedFrame? next = null;
        MatchRun? later = null;
        await turn;
        try
        {
            while (_stop is null)
            {
                // In this order: nothing is added after the end, and nothing is kept later than it was added.
                var ending = _ending;
                var mayGrow = _history.HasPending;
                next ??= kept.TryRead();
                if (Earliest(next, ending, mayGrow) is not var (atNs, what))
                {
                    await _wake.WaitAsync();
                    continue;
                }
                if (NowNs < atNs + _delayNs)
                {
                    await WaitUntilAsync(atNs + _delayNs);
                    continue;
                }
                switch (what)
                {
                    case Shown.Match:
                        _later = later = _view.Begin(_live.Match!);
                        _begun.TrySetResult();
                        break;
                    case Shown.Frame:
                        var frame = next!;
                        next = null;
                        await PublishAsync(later!, frame, kept.LastSequence);
                        break;
                    case Shown.Drawings:
                        later!.Drawings.Show(Drawings.Parser.ParseFrom(_drawings.Take()));
                        break;
                    case Shown.Plots:
                        later!.Plots.TryPlot(PlotRequest.Parser.ParseFrom(_plots.Take()), out _);
                        break;
                    default:
                        if (!ending!.IsLast) _view.End(later!);
                        return ending.End;
                }
            }
            return _stop;
        }
        catch (Exception e)
        {
            LogMessages.DelayFailed(_log, e);
            var end = new SubscriptionEnd(SubscriptionEndReason.SourceLost, "the match cannot be shown any more: the daemon has a defect");
            _ = later?.FinishAsync(end);
            return end;
        }
        finally
        {
            next?.Release();
            _begun.TrySetResult();
        }
    }

    /// <summary>Waits until a time, or for something new.</summary>
    private async ValueTask WaitUntilAsync(long dueNs)
    {
        var nowNs = NowNs;
        // Rounded up, because it must not be early.
        var ticks = (Math.Max(dueNs - nowNs, 0) + TimeSpan.NanosecondsPerTick - 1) / TimeSpan.NanosecondsPerTick;
        var waiting = _wake.WaitAsync(TimeSpan.FromTicks(ticks));
        // The thread may have been interrupted before the wait began, which would be too long then.
        if (NowNs - nowNs > MaxLateNs) _wake.Set();
        await waiting;
    }

    /// <summary>What has to be shown next, and when it happened; null if nothing waits.</summary>
    private (long AtNs, Shown What)? Earliest(SharedFrame? next, Ending? ending, bool mayGrow)
    {
        var frameNs = next?.Captured.MonotonicNs ?? long.MaxValue;
        // The first observation of a bot may be captured before its match has begun.
        if (_later is null && _live.Match is not null) return (Math.Min(_live.BeganNs, frameNs), Shown.Match);
        // A frame that is about to be kept may be older than the rest, which belongs to it.
        if (next is null && mayGrow) return null;
        var (drawnNs, plottedNs) = (_drawings.FirstNs ?? long.MaxValue, _plots.FirstNs ?? long.MaxValue);
        if (next is not null && frameNs <= Math.Min(drawnNs, plottedNs)) return (frameNs, Shown.Frame);
        if (drawnNs < long.MaxValue && drawnNs <= plottedNs) return (drawnNs, Shown.Drawings);
        if (plottedNs < long.MaxValue) return (plottedNs, Shown.Plots);
        return ending is null ? null : (ending.AtNs, Shown.End);
    }

    private async ValueTask PublishAsync(MatchRun later, SharedFrame frame, ulong sequence)
    {
        if (sequence != later.Hub.Sequence + 1)
        {
            LogMessages.DelayedFramesDropped(_log, sequence - later.Hub.Sequence - 1);
            later.SkipTo(sequence - 1, Dropped);
        }
        await later.PublishAsync(frame);
    }

    /// <summary>What is shown later.</summary>
    private enum Shown
    {
        Match,
        Frame,
        Drawings,
        Plots,
        End,
    }

    /// <summary>The end of the match.</summary>
    /// <param name="End">Why it ended.</param>
    /// <param name="AtNs">When, on the monotonic clock.</param>
    /// <param name="IsLast">Whether the daemon ends with it.</param>
    private sealed record Ending(SubscriptionEnd End, long AtNs, bool IsLast);
}
