using Abathur.Recordings.Files;
using Abathur.Sc2;

namespace Abathur.Recordings.Conversion;

/// <summary>Options of <see cref="RecordingImporter"/>.</summary>
public sealed record ImportOptions
{
    /// <summary>How the recording is written.</summary>
    public RecordingOptions Recording { get; init; } = new();

    /// <summary>Identifies the match. Default: a new random id.</summary>
    public string MatchId { get; init; } = Guid.NewGuid().ToString();

    /// <summary>Game loops per second of wall clock: 22.4 or 16. Default: 22.4.</summary>
    public double TickHz { get; init; } = GameTime.LoopsPerSecond;

    /// <summary>Log time of game loop 0, in nanoseconds since 1970-01-01 UTC. The log time of an observation is this plus its game loop at
    /// the tick rate.</summary>
    public required long StartTimeUnixNs { get; init; }

    /// <summary>Name of the map. Default: that of <see cref="GameInfo"/>.</summary>
    public string? MapName { get; init; }

    /// <summary>Version of the game; empty if unknown.</summary>
    public string GameVersion { get; init; } = "";

    /// <summary>Serialized <c>ResponseGameInfo</c>, or null.</summary>
    public ReadOnlyMemory<byte>? GameInfo { get; init; }

    /// <summary>Serialized <c>ResponseData</c>, or null.</summary>
    public ReadOnlyMemory<byte>? GameData { get; init; }

    /// <summary>Whether the observations come from the match generator.</summary>
    public bool Simulated { get; init; }

    /// <summary>Maximum number of observations from all inputs together. Default: 2,000,000, which is more than 24 hours.</summary>
    public long MaxFrames { get; init; } = 2_000_000;

    /// <summary>Maximum number of bytes from all inputs together, after decompression. Default: 8 GiB, which is 45 minutes in the largest
    /// frames.</summary>
    public long MaxBytes { get; init; } = 8L * 1024 * 1024 * 1024;

    /// <summary>Whether an existing file is replaced.</summary>
    public bool Overwrite { get; init; }

    /// <inheritdoc cref="OutputOptions.OnKilledRun"/>
    public Action<KilledRun>? OnKilledRun { get; init; }
}
