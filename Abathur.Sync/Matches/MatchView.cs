using Abathur.Sync.Hub;
using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>
/// The matches that the clients of an access level see: the one that runs or comes next, and those that are over. Of these it keeps what
/// can be read within the memory of the history, for all together, and drops the oldest first. Thread-safe.
/// </summary>
public sealed class MatchView : IDisposable
{
    /// <summary>Matches of which it can say something. With more, the oldest are forgotten.</summary>
    public const int MaxMatches = 1000;

    private readonly Lock _gate = new();
    private readonly MatchAbilities _abilities;
    private readonly List<FormerMatch> _former = [];
    private readonly HashSet<MatchReader> _followers = [];
    private volatile MatchRun _current;
    private MatchTotals _before;
    private TaskCompletionSource _next = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal MatchView(HubShare share, MatchAbilities abilities)
    {
        (Share, _abilities) = (share, abilities);
        _current = NewRun();
    }

    /// <summary>How much later matches are seen. Then the status tells only of what is shown.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>Whether the status leaves out the memory and the processor time of the process, which tell of what is not shown.</summary>
    public bool HidesLoad { get; init; }

    /// <summary>Whether others see the same before.</summary>
    public bool IsDelayed => Delay > TimeSpan.Zero;

    /// <summary>The match that runs, or comes next.</summary>
    public MatchRun Current => _current;

    /// <summary>What the hubs of its matches share.</summary>
    internal HubShare Share { get; }

    /// <summary>A match.</summary>
    /// <param name="runId">Identifies it; empty: the one that runs, or comes next.</param>
    /// <param name="problem">Why it cannot be read; empty if it can.</param>
    /// <returns>Null if it cannot be read: it is not known, or has given way to others.</returns>
    public MatchRun? Find(string runId, out string problem)
    {
        problem = "";
        lock (_gate)
        {
            if (runId.Length == 0 || runId == _current.RunId) return _current;
            if (_former.Find(each => each.RunId == runId) is { } former)
            {
                if (former.Run is null) problem = "what was kept of this match has given way to later ones (--history-mb)";
                return former.Run;
            }
            return null;
        }
    }

    /// <summary>All matches that it knows, in the order in which they began.</summary>
    public IEnumerable<MatchSummary> Summaries()
    {
        lock (_gate)
        {
            var former = _former.Select(each => each.Summary).ToList();
            return _current.Summary() is { } running ? [.. former, running] : former;
        }
    }

    /// <summary>Sums over all matches.</summary>
    public MatchTotals Totals()
    {
        lock (_gate) return _before + MatchTotals.Of(_current);
    }

    /// <summary>Waits until a match is not the current one any more.</summary>
    public async Task WaitForNextAsync(MatchRun run, CancellationToken cancellation)
    {
        while (true)
        {
            Task next;
            lock (_gate)
            {
                if (run != _current) return;
                next = _next.Task;
            }
            await next.WaitAsync(cancellation);
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
            if (options.Follows && run != _current) reader.Add(_current);
            if (options.Follows) _followers.Add(reader);
            return reader;
        }
    }

    /// <summary>Begins with the next match. Who subscribes from now on waits for it, and who follows gets it next.</summary>
    /// <returns>The one before, which the caller finishes and then <see cref="Keep">keeps</see>.</returns>
    internal MatchRun GoOn()
    {
        lock (_gate)
        {
            var former = _current;
            _before += MatchTotals.Of(former);
            var next = NewRun();
            foreach (var reader in _followers) reader.Add(next);
            if (former.Match is not null) _former.Add(new FormerMatch(former));
            if (_former.Count > MaxMatches) Forget(_former[0]);
            _current = next;
            _next.SetResult();
            _next = new(TaskCreationOptions.RunContinuationsAsynchronously);
            return former;
        }
    }

    /// <summary>Keeps what can be read of a match that is over, and that has no live readers.</summary>
    internal void Keep(MatchRun run)
    {
        lock (_gate)
        {
            if (_former.Find(each => each.Run == run) is not { } former)
            {
                run.Dispose();
                return;
            }
            run.Complete(_former.FindLast(each => each is { IsComplete: true, Run: not null })?.Run?.Match);
            former.IsComplete = true;
        }
        MakeRoom(0);
    }

    /// <summary>Ends those who read matches that are over.</summary>
    internal void EndReaders(SubscriptionEnd end)
    {
        lock (_gate)
        {
            var runs = _former.Select(each => each.Run).OfType<MatchRun>();
            foreach (var subscription in runs.SelectMany(run => run.Hub.Subscriptions)) subscription.Finish(end);
        }
    }

    /// <summary>Drops what is kept. Subscriptions must have ended.</summary>
    public void Dispose()
    {
        _current.Dispose();
        foreach (var former in _former) former.Run?.Dispose();
    }

    private MatchRun NewRun()
    {
        MatchRun run = null!;
        return run = new MatchRun(Share, _abilities, MakeRoom) { Beginning = () => Begin(run) };
    }

    /// <summary>Before the first frame, so that readers who follow miss none.</summary>
    private void Begin(MatchRun run)
    {
        lock (_gate)
        {
            foreach (var reader in _followers) reader.Begin(run);
        }
    }

    private void Forget(MatchReader reader)
    {
        lock (_gate) _followers.Remove(reader);
    }

    private void Forget(FormerMatch match)
    {
        _former.Remove(match);
        if (match.IsComplete) match.Run?.Dispose();
    }

    /// <summary>Drops the oldest matches until those that are over, and this much for the one that runs, have room.</summary>
    /// <returns>What the one that runs may have.</returns>
    private long MakeRoom(long running)
    {
        lock (_gate)
        {
            var most = Share.HistoryBytes;
            var former = _former.Sum(each => each.Bytes);
            foreach (var each in _former)
            {
                if (former + running <= most) break;
                if (each is not { IsComplete: true, Run: not null }) continue;
                former -= each.Bytes;
                each.Drop();
            }
            return most - former;
        }
    }

    /// <summary>A match that is over.</summary>
    private sealed class FormerMatch(MatchRun run)
    {
        private MatchSummary? _summary;

        public string RunId { get; } = run.RunId;

        /// <summary>Null: only its summary is kept.</summary>
        public MatchRun? Run { get; private set; } = run;

        /// <summary>Whether it has no live readers.</summary>
        public bool IsComplete { get; set; }

        public MatchSummary Summary => _summary ?? Run!.Summary()!;

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
