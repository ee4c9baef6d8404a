using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>One match of a proxy: where it is published, and what agents ask of its game.</summary>
internal sealed class ProxyMatch
{
    private readonly bool _takesActions;

    /// <param name="run">The match.</param>
    /// <param name="takesActions">Whether agents may act.</param>
    /// <param name="recordings">Records it; null: it is not recorded.</param>
    /// <param name="ended">Called when it is over and its recording, if it has one, is complete.</param>
    /// <param name="clock">Clock of all times.</param>
    public ProxyMatch(MatchRun run, bool takesActions, MatchRecordings? recordings, MatchEndHandler? ended, TimeProvider clock)
    {
        (Run, _takesActions) = (run, takesActions);
        Feed = new MatchFeed(run, recordings, clock) { Ended = (end, recorder) => ended?.Invoke(end, Times, recorder) };
        Actions = new ActionQueue(clock);
        Queries = new QueryQueue(() => Feed.GameLoop, clock);
        Times = new FrameTimes { Query = Queries.Times };
        run.Abilities = run.Abilities with { Actions = takesActions ? Actions : null, Queries = Queries, Describe = Describe };
    }

    /// <summary>Its subscribers and what is kept of it.</summary>
    public MatchRun Run { get; }

    /// <summary>Publishes and records its observations.</summary>
    public MatchFeed Feed { get; }

    /// <summary>The actions of agents.</summary>
    public ActionQueue Actions { get; }

    /// <summary>The queries of agents.</summary>
    public QueryQueue Queries { get; }

    /// <summary>How the time of its frames was spent.</summary>
    public FrameTimes Times { get; }

    /// <summary>Ends it: nothing is recorded any more, and agents are refused.</summary>
    public void End(SubscriptionEnd end)
    {
        Actions.Close();
        Queries.Close();
        Feed.End(end);
    }

    private void Describe(Status status)
    {
        if (_takesActions) status.Actions = Actions.Status;
        status.FrameBudget = Times.ToBudget();
    }
}
