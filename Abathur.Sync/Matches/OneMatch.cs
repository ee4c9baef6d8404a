using Abathur.Sync.Hub;

namespace Abathur.Sync.Matches;

/// <summary>Takes a single match.</summary>
internal sealed class OneMatch(MatchRun run) : IMatchSink
{
    /// <inheritdoc/>
    public MatchRun Current => run;

    /// <summary>Not for a source of several matches.</summary>
    public void GoOn(SubscriptionEnd end) => throw new InvalidOperationException("only one match is taken");
}
