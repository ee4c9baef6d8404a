using Abathur.Sync.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Matches;

/// <summary>What can be done with matches of tests.</summary>
internal static class Abilities
{
    /// <summary>A source that waits for lossless readers.</summary>
    public static MatchAbilities Waiting { get; } = new() { Kind = SourceKind.Playback, CanWait = true };

    /// <summary>A source that does not.</summary>
    public static MatchAbilities NotWaiting { get; } = new() { Kind = SourceKind.Push };
}
