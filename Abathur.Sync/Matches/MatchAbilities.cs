using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>What can be done with a match besides reading it.</summary>
public sealed record MatchAbilities
{
    /// <summary>The kind of its source.</summary>
    public required SourceKind Kind { get; init; }

    /// <summary>Whether publishing may wait for lossless readers (a playback can, a game cannot). If not, the subscription of such a reader
    /// ends when its queue is full.</summary>
    public bool CanWait { get; init; }

    /// <summary>Controls the source; null if it cannot be controlled.</summary>
    public IPlaybackControl? Control { get; init; }

    /// <summary>Starts the next game; null if games do not begin on request.</summary>
    public INextGame? NextGame { get; init; }

    /// <summary>Accepts agents' actions; null if none are accepted.</summary>
    public IActionTarget? Actions { get; init; }

    /// <summary>Passes agents' queries to the game; null if there is no game.</summary>
    public IQueryTarget? Queries { get; init; }

    /// <summary>The whole match, if it is recorded; else null.</summary>
    public IMatchOverview? Overview { get; init; }

    /// <summary>Adds the source to the status; null if it adds nothing.</summary>
    public Action<Status>? Describe { get; init; }
}
