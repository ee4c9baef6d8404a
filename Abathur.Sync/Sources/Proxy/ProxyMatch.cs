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

    /// <param name="sink">Where it is published.</param>
    /// <param name="takesActions">Whether agents may act.</param>
    /// <param name="recordings">Records it; null: it is not recorded.</param>
    /// <param name="ended">Called when it is over and its recording, if it has one, is complete.</param>
    /// <param name="clock">Clock of all times.</param>
    public ProxyMatch(IMatchSink sink, bool takesActions, MatchRecordings? recordings, MatchEndHandler? ended, TimeProvider clock)
    {
        _takesActions = takesActions;
        Actions = new ActionQueue(clock);
        Queries = new QueryQueue(() => Feed!.GameLoop, clock);
        Times = new FrameTimes { Query = Queries.Times };
        Feed = new MatchFeed(sink, recordings, clock)
        {
            Abilities = new MatchAbilities
            {
                Kind = SourceKind.Proxy,
                Actions = takesActions ? Actions : null,
                Queries = Queries,
                Describe = Describe,
            },
            Ended = (end, recorder) => ended?.Invoke(end, Times, recorder),
        };
    }

    /// <summary>Publishes and records its observations.</summary>
    public MatchFeed Feed { get; }

    /// <summary>The actions of agents.</summary>
    public ActionQueue Actions { get; }

    /// <summary>The queries of agents.</summary>
    public QueryQueue Queries { get; }

    /// <summary>How the time of its frames was spent.</summary>
    public FrameTimes Times { get; }

    /// <summary>Ends it: nothing is recorded any more, and agents are refused.</summary>
    /// <param name="end">Why.</param>
    /// <param name="isLast">Whether the proxy ends with it.</param>
    public void End(SubscriptionEnd end, bool isLast)
    {
        Actions.Close();
        Queries.Close();
        Feed.End(end, isLast);
    }

    private void Describe(Status status)
    {
        if (_takesActions) status.Actions = Actions.Status;
        status.FrameBudget = Times.ToBudget();
    }
}
