using System.Runtime.CompilerServices;
using Abathur.Sync.Hub;
using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>
/// The matches that the clients of an access level see: those that run, the one that comes next, and those that are over. Of these it keeps
/// what can be read within the memory of the history, for all together, and drops the oldest first. Thread-safe.
/// </summary>
public sealed class MatchView : IDisposable
{
    /// <summary>Matches of which it can say something. With more, the oldest are forgotten.</summary>
    public const int MaxMatches = 1000;

    private readonly Lock _gate = new();
    private readonly MatchAbilities _abilities;
    private readonly HashSet<MatchReader> _followers = [];

    /// <summary>In the order in which they began.</summary>
    private readonly List<KnownMatch> _matches = [];
    private MatchTotals _before;
    private long _begun;
    private MatchRun _next;
    private volatile MatchRun _current;
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal MatchView(HubShare share, MatchAbilities abilities)
    {
        (Share, _abilities) = (share, abilities);
        _current = _next = NewRun();
    }

    /// <summary>How much later matches are seen. Then the status tells only of what is shown.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>Whether the status leaves out the memory and the processor time of the process, which tell of what is not shown.</summary>
    public bool HidesLoad { get; init; }

    /// <summary>Whether others see the same before.</summary>
    public bool IsDelayed => Delay > TimeSpan.Zero;

    /// <summary>The match that runs, of several the one that began last; else the one that comes next.</summary>
    public MatchRun Current => _current;

    /// <summary>How the recording of the next match goes; null: not recorded, or not known yet.</summary>
    internal Func<RecordingStatus?>? NextRecording
    {
        get;
        init => _next.Recording = field = value;
    }

    /// <summary>What the hubs of its matches share.</summary>
    internal HubShare Share { get; }

    /// <summary>A match.</summary>
    /// <param name="runId">Identifies it; empty: the <see cref="Current"/> one.</param>
    /// <param name="problem">Why it cannot be read; empty if it can.</param>
    /// <returns>Null if it cannot be read: it is not known, or has given way to others.</returns>
    public MatchRun? Find(string runId, out string problem)
    {
        problem = "";
        if (runId.Length == 0) return _current;
        lock (_gate)
        {
            if (_matches.Find(each => each.RunId == runId) is not { } known) return null;
            if (known.Run is null) problem = "what was kept of this match has given way to later ones (--history-mb)";
            return known.Run;
        }
    }

    /// <summary>Whether several matches run.</summary>
    public bool HasSeveral
    {
        get
        {
            lock (_gate) return Running.Skip(1).Any();
        }
    }

    /// <summary>Whether a match is over, and another one may follow.</summary>
    public bool IsOver(MatchRun run)
    {
        lock (_gate) return _matches.Exists(each => each.Run == run && each.IsOver);
    }

    /// <summary>All matches that it knows, in the order in which they began.</summary>
    public IEnumerable<MatchSummary> Summaries()
    {
        lock (_gate) return [.. _matches.Select(each => each.Summary).OfType<MatchSummary>()];
    }

    /// <summary>Sums over all matches.</summary>
    public MatchTotals Totals()
    {
        lock (_gate) return Running.Aggregate(_before, (sum, run) => sum + MatchTotals.Of(run));
    }

    /// <summary>Waits until a match is over. One that has not begun may begin meanwhile.</summary>
    public async Task WaitForEndAsync(MatchRun run, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task changed;
            lock (_gate)
            {
                if (run != _next && !Running.Contains(run)) return;
                changed = _changed.Task;
            }
            await changed.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Those of which something is kept, and then each that begins.</summary>
    /// <param name="cancellationToken">Ends it with an <see cref="OperationCanceledException"/>.</param>
    public async IAsyncEnumerable<MatchRun> BegunAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var seen = 0L;
        while (true)
        {
            MatchRun[] begun;
            Task changed;
            lock (_gate)
            {
                begun = [.. _matches.Where(each => each.Number > seen).Select(each => each.Run).OfType<MatchRun>()];
                (seen, changed) = (_begun, _changed.Task);
            }
            foreach (var run in begun) yield return run;
            await changed.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Adds a reader to a match. Null if there are too many.</summary>
    /// <param name="run">The match.</param>
    /// <param name="options">The subscription.</param>
    /// <param name="problem">Why it is refused; empty if it is accepted.</param>
    public MatchReader? Read(MatchRun run, SubscriptionOptions options, out string problem)
    {
        lock (_gate)
        {
            if (run.Subscribe(options, out problem) is not { } subscription) return null;
            var reader = new MatchReader(subscription, run) { Gone = Forget };
            // One that is over by now has a next one already.
            if (options.Follows && run != _next && !Running.Contains(run)) reader.Add(_next);
            if (options.Follows) _followers.Add(reader);
            return reader;
        }
    }

    /// <summary>Begins a match, which those read who have waited for the next one. One that has begun already is given again.</summary>
    /// <param name="match">Its constant data.</param>
    /// <param name="abilities">What can be done with it; null: what can be done with the source.</param>
    /// <param name="recording">How its recording goes; null: it is not recorded.</param>
    /// <param name="beginning">Called before it has begun.</param>
    internal MatchRun Begin(
        Match match, MatchAbilities? abilities = null, Func<RecordingStatus?>? recording = null, Action<MatchRun>? beginning = null)
    {
        MatchRun run;
        lock (_gate)
        {
            if (Running.FirstOrDefault(each => ReferenceEquals(each.Match, match)) is { } begun) return begun;
            run = _next;
            (run.Abilities, run.Recording) = (abilities ?? _abilities, recording);
            _next = NewRun();
            // Before the first frame, so that readers who follow miss none.
            foreach (var reader in _followers) reader.Begin(run);
            beginning?.Invoke(run);
            run.Begin(match);
            _matches.Add(new KnownMatch(run, ++_begun));
            if (_matches.Count > MaxMatches) Forget(_matches.Find(each => each.IsOver));
            Change();
        }
        return run;
    }

    /// <summary>Ends a match that runs: who follows it gets the next that begins. The caller finishes it, and then
    /// <see cref="Keep">keeps</see> it.</summary>
    internal void End(MatchRun run)
    {
        lock (_gate)
        {
            if (_matches.Find(each => each.Run == run) is not { IsOver: false } known) return;
            _before += MatchTotals.Of(run);
            known.IsOver = true;
            foreach (var reader in _followers.Where(each => each.Last == run)) reader.Add(_next);
            Change();
        }
    }

    /// <summary>Keeps what can be read of a match that is over, and that has no live readers.</summary>
    internal void Keep(MatchRun run)
    {
        lock (_gate)
        {
            if (_matches.Find(each => each.Run == run) is not { } known)
            {
                run.Dispose();
                return;
            }
            run.Complete(_matches.FindLast(each => each is { IsComplete: true, Run: not null })?.Run?.Match);
            known.IsComplete = true;
        }
        MakeRoom(null, 0);
    }

    /// <summary>The matches that run, and the one that comes next.</summary>
    internal MatchRun[] Open()
    {
        lock (_gate) return [.. Running, _next];
    }

    /// <summary>Ends those who read matches that are over.</summary>
    internal void EndReaders(SubscriptionEnd end)
    {
        lock (_gate)
        {
            var runs = _matches.Where(each => each.IsOver).Select(each => each.Run).OfType<MatchRun>();
            foreach (var subscription in runs.SelectMany(run => run.Hub.Subscriptions)) subscription.Finish(end);
        }
    }

    /// <summary>Drops what is kept. Subscriptions must have ended.</summary>
    public void Dispose()
    {
        _next.Dispose();
        foreach (var each in _matches) each.Run?.Dispose();
    }

    private IEnumerable<MatchRun> Running => _matches.Where(each => !each.IsOver).Select(each => each.Run!);

    private MatchRun NewRun()
    {
        MatchRun run = null!;
        return run = new MatchRun(Share, _abilities, bytes => MakeRoom(run, bytes)) { Recording = NextRecording };
    }

    private void Change()
    {
        _current = Running.LastOrDefault() ?? _next;
        _changed.SetResult();
        _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }

    private void Forget(MatchReader reader)
    {
        lock (_gate) _followers.Remove(reader);
    }

    private void Forget(KnownMatch? match)
    {
        if (match is null) return;
        _matches.Remove(match);
        if (match.IsComplete) match.Run?.Dispose();
    }

    /// <summary>Drops the oldest matches that are over until the others have room.</summary>
    /// <param name="run">One that runs and needs room; null: none.</param>
    /// <param name="bytes">What it has.</param>
    /// <returns>What it may have: never more than its share.</returns>
    private long MakeRoom(MatchRun? run, long bytes)
    {
        lock (_gate)
        {
            var most = Share.HistoryBytes;
            var running = Running.ToList();
            var former = _matches.Where(each => each.IsOver).Sum(each => each.Bytes);
            var others = running.Where(each => each != run).Sum(each => each.HistoryBytes);
            foreach (var each in _matches)
            {
                if (former + others + bytes <= most) break;
                if (each is not { IsComplete: true, Run: not null }) continue;
                former -= each.Bytes;
                each.Drop();
            }
            return Math.Min(most / Math.Max(running.Count, 1), most - former - others);
        }
    }

    /// <summary>A match that has begun.</summary>
    private sealed class KnownMatch(MatchRun run, long number)
    {
        private MatchSummary? _summary;

        public string RunId { get; } = run.RunId;

        /// <summary>Its place among all that have begun.</summary>
        public long Number { get; } = number;

        /// <summary>Null: only its summary is kept.</summary>
        public MatchRun? Run { get; private set; } = run;

        /// <summary>Whether nothing is published any more.</summary>
        public bool IsOver { get; set; }

        /// <summary>Whether it is over and has no live readers.</summary>
        public bool IsComplete { get; set; }

        public MatchSummary? Summary => _summary ?? Run!.Summary();

        /// <summary>Memory of what is kept.</summary>
        public long Bytes => Run?.Bytes ?? 0;

        /// <summary>Drops all but its summary.</summary>
        public void Drop()
        {
            var run = Run!;
            _summary = run.Summary()!;
            _summary.History = null;
            Run = null;
            run.Dispose();
        }
    }
}
