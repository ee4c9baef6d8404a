using SC2APIProtocol;

namespace Abathur.Sync.Sources.Live;

/// <summary>Which game is played, or which replay is watched, and how.</summary>
public sealed record LiveOptions
{
    /// <summary>Name or path of a map on the game's machine. Null: joins the existing game, or watches a replay.</summary>
    public string? Map { get; init; }

    /// <summary>Seed of the game's random numbers. Null: the game chooses.</summary>
    public uint? Seed { get; init; }

    /// <summary>Race of the player whose observations are taken. Default: random.</summary>
    public Race Race { get; init; } = Race.Random;

    /// <summary>The computer players.</summary>
    public IReadOnlyList<PlayerSetup> Opponents { get; init; } = [];

    /// <summary>Watches as this player instead of playing; null: it plays.</summary>
    public uint? ObservedPlayerId { get; init; }

    /// <summary>Path of a replay to watch; null: a game is played.</summary>
    public string? Replay { get; init; }

    /// <summary>Whether the game runs by itself at 22.4 loops a second. Default: it is stepped.</summary>
    public bool Realtime { get; init; }

    /// <summary>Game loops from one observation to the next in a stepped game. Default: 1.</summary>
    public uint Step { get; init; } = 1;

    /// <summary>Whether agents may act. Default: no.</summary>
    public bool AllowActions { get; init; }

    /// <summary>Whether agents act in it: only in a game that is played.</summary>
    public bool TakesActions => AllowActions && Replay is null && ObservedPlayerId is null;

    /// <summary>Agents to wait for before the first observation. Default: none.</summary>
    public int WaitForAgents { get; init; }

    /// <summary>Whether to quit the game after the match. Default: no, the match is only left.</summary>
    public bool QuitAfterwards { get; init; }
}
