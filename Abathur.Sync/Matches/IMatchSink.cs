using Abathur.Sync.Hub;

namespace Abathur.Sync.Matches;

/// <summary>Where a source publishes its matches, one after the other.</summary>
public interface IMatchSink
{
    /// <summary>The match to publish: the first, or the one after that which was ended last.</summary>
    MatchRun Current { get; }

    /// <summary>Ends the match for all who see it, and goes on with the next. Does not wait for readers.</summary>
    void GoOn(SubscriptionEnd end);
}
