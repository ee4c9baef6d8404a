using Abathur.Sc2;
using SC2APIProtocol;

namespace Abathur.Emulator;

/// <summary>How a recording is played as a game.</summary>
public sealed record EmulatorOptions
{
    /// <summary>Whether the game advances by the clock in every match, not only if <c>create_game</c> or <c>start_replay</c> request it.
    /// Default: false.</summary>
    public bool Realtime { get; init; }

    /// <summary>Game loops per second in real time: 22.4 or 16. Default: 22.4.</summary>
    public double TickHz { get; init; } = GameTime.LoopsPerSecond;

    /// <summary>Result of the recorded player if the recording has none, or if the match ends before it; its opponents get the opposite.
    /// Default: undecided.</summary>
    public Result Result { get; init; } = Result.Undecided;

    /// <summary>Game loop at which every match begins: the first observation is the first recorded one at or after it. Default: 0, the
    /// beginning of the recording.</summary>
    public uint StartGameLoop { get; init; }

    /// <summary>Game loop at which every match ends: the last observation is the last recorded one at or before it. Before the end of the
    /// recording, the match ends with <see cref="Result"/>. Default: null, the end of the recording.</summary>
    public uint? StopGameLoop { get; init; }
}
