using SC2APIProtocol;

namespace Abathur.Sync.Sc2Api.Emulator;

/// <summary>How a recording is played as a game.</summary>
public sealed record EmulatorOptions
{
    /// <summary>Port on 127.0.0.1; 0: any free one. Default 5000, which the game's own documentation uses.</summary>
    public int Port { get; init; } = 5000;

    /// <summary>Whether the game advances by the clock in every match, not only where <c>create_game</c> or <c>start_replay</c> ask for it. Default: false.</summary>
    public bool Realtime { get; init; }

    /// <summary>Game loops per second in real time: 22.4 or 16. Default: 22.4.</summary>
    public double TickHz { get; init; } = Recordings.GameTime.LoopsPerSecond;

    /// <summary>Result of the recorded player where the recording does not say one; its opponents have the opposite. Default: undecided.</summary>
    public Result Result { get; init; } = Result.Undecided;

    /// <summary>Longest request. Default 64 MiB; a longer one closes the connection with 1009.</summary>
    public int MaxRequestBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>How long a client may take to answer a close. Default 2 s.</summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How long a second client waits for the first to be gone before it is refused. Default 1 s: who reconnects at once must not be.</summary>
    public TimeSpan SeatTimeout { get; init; } = TimeSpan.FromSeconds(1);
}
