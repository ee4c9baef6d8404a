using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources;

/// <summary>A source of the frames of one match.</summary>
public interface IMatchSource
{
    /// <summary>The kind of the source.</summary>
    SourceKind Kind { get; }

    /// <summary>The constant data of the match if it is known from the start; else null, and the source calls <see cref="MatchRun.Begin"/>
    /// later.</summary>
    Match? Match => null;

    /// <summary>Whether publishing may wait for lossless readers. A game does not wait.</summary>
    bool CanWait { get; }

    /// <summary>Controls the source; null if it cannot be controlled.</summary>
    IPlaybackControl? Control => null;

    /// <summary>Accepts agents' actions; null if none are accepted.</summary>
    IActionTarget? Actions => null;

    /// <summary>Passes agents' queries to the game; null if there is no game.</summary>
    IQueryTarget? Queries => null;

    /// <summary>The whole match, if it is recorded; else null.</summary>
    IMatchOverview? Overview => null;

    /// <summary>Adds the source's part of the status.</summary>
    void Describe(Status status)
    {
    }

    /// <summary>Publishes frames until the match is over or the token fires; returns why it ended.</summary>
    Task<SubscriptionEnd> RunAsync(MatchRun run, CancellationToken cancellation);
}
