using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources;

/// <summary>A source of matches.</summary>
public interface IMatchSource
{
    /// <summary>What can be done with its matches, where nothing else is said.</summary>
    MatchAbilities Abilities { get; }

    /// <summary>The constant data of the match if it is known from the start, so that agents have it before the source runs; else null. The
    /// source calls <see cref="IMatchSink.Begin"/> for each match.</summary>
    Match? Match => null;

    /// <summary>Records its matches; null: they are not recorded.</summary>
    MatchRecordings? Recordings => null;

    /// <summary>Publishes matches until the last one is over or the token fires; returns why it ended.</summary>
    Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken);
}
