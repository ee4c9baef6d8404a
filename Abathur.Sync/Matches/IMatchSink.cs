using Abathur.Sync.Hub;
using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>Where a source publishes its matches, one after the other or at once.</summary>
public interface IMatchSink
{
    /// <summary>Begins a match. Who waits for one reads it from its first frame. One that has begun already is given again.</summary>
    /// <param name="match">Its constant data.</param>
    /// <param name="abilities">What can be done with it; null: what can be done with its source.</param>
    /// <param name="recording">How its recording goes; null: it is not recorded.</param>
    MatchRun Begin(Match match, MatchAbilities? abilities = null, Func<RecordingStatus?>? recording = null);

    /// <summary>Ends a match for all who see it. Does not wait for readers.</summary>
    /// <param name="run">The match.</param>
    /// <param name="end">Why.</param>
    /// <param name="publishing">Completes when its last frame is published, which the end of its readers lets go on; null: it is.</param>
    void End(MatchRun run, SubscriptionEnd end, Task? publishing = null);
}
