using SC2APIProtocol;

namespace Abathur.Sync.Sources.Live;

/// <summary>Which game is played, or which replay is watched, and how.</summary>
public sealed record LiveOptions
{
    /// <summary>A map's name or path, as the game knows it. Null: the game that is there is joined, or a replay is watched.</summary>
    public string? Map { get; init; }

    /// <summary>Race of the player whose observations are taken. Default: random.</summary>
    public Race Race { get; init; } = Race.Random;

    /// <summary>The game's own players against it.</summary>
    public IReadOnlyList<PlayerSetup> Opponents { get; init; } = [];

    /// <summary>Watches as this player instead of playing; null: it plays.</summary>
    public uint? ObservedPlayerId { get; init; }

    /// <summary>Path of a replay to watch, as the game sees it; null: a game is played.</summary>
    public string? Replay { get; init; }

    /// <summary>Whether the game runs by itself at 22.4 loops a second. Default: it is stepped.</summary>
    public bool Realtime { get; init; }

    /// <summary>Game loops from one observation to the next, where it is stepped. Default: 1.</summary>
    public uint Step { get; init; } = 1;

    /// <summary>Whether agents may act. Default: no.</summary>
    public bool AllowActions { get; init; }

    /// <summary>Agents that are waited for before the first observation. Default: none.</summary>
    public int WaitForAgents { get; init; }

    /// <summary>Whether the game is told to quit after the match. Default: no, it is left.</summary>
    public bool QuitAfterwards { get; init; }
}
