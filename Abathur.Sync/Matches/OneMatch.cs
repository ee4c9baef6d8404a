using Abathur.Sync.Hub;
using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>Takes a single match.</summary>
internal sealed class OneMatch(MatchRun run) : IMatchSink
{
    /// <inheritdoc/>
    public MatchRun Begin(Match match, MatchAbilities? abilities = null, Func<RecordingStatus?>? recording = null)
    {
        if (ReferenceEquals(match, run.Match)) return run;
        run.Abilities = abilities ?? run.Abilities;
        run.Recording = recording;
        run.Begin(match);
        return run;
    }

    /// <inheritdoc/>
    public void End(MatchRun run, SubscriptionEnd end, Task? publishing = null) => _ = run.FinishAsync(end);
}
