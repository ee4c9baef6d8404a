using SC2APIProtocol;

namespace Abathur.Client.Testing;

/// <summary>The options of an emulated game.</summary>
public sealed record EmulatedGameOptions
{
    /// <summary>Advance by the clock even if the client does not create the game, as on a ladder. Default: no.</summary>
    public bool Realtime { get; init; }

    /// <summary>Game loops per second in real time: 22.4 (default) or 16.</summary>
    public double TickHz { get; init; } = 22.4;

    /// <summary>Game loop at which each match begins, with the first recorded observation at or after it. Default: the beginning of the
    /// recording.</summary>
    public uint? Start { get; init; }

    /// <summary>Game loop at which each match ends, with the last recorded observation at or before it. Default: the end of the
    /// recording.</summary>
    public uint? Stop { get; init; }

    /// <summary>Result of the recorded player if the recording has none, or if <see cref="Stop"/> is before its end. Default: undecided.
    /// </summary>
    public Result Result { get; init; } = Result.Undecided;

    /// <summary>File with a serialized <c>ResponseGameInfo</c>. Default: the recording's.</summary>
    public string? GameInfo { get; init; }

    /// <summary>File with a serialized <c>ResponseData</c>. Default: the recording's.</summary>
    public string? GameData { get; init; }

    /// <summary>TCP port. 0 (default): any free one.</summary>
    public int Port { get; init; }

    /// <summary>The daemon: a path or a command line. Default: the environment variable ABATHUR_SYNC, else the Release build of the clone
    /// in which this runs, else <c>abathur-sync</c> on the PATH.</summary>
    public string? Command { get; init; }

    /// <summary>How long the daemon may take to start. Default: 30 s.</summary>
    public TimeSpan StartTimeout { get; init; } = TimeSpan.FromSeconds(30);

    internal List<string> ToArguments(string recording, string actions)
    {
        List<string> arguments =
        [
            "emulate", recording, "--listen", Text(Port), "--tick-hz", Text(TickHz), "--result", Result.ToString().ToLowerInvariant(),
            "--actions", actions, "--stop-with-parent",
        ];
        if (Realtime) arguments.Add("--realtime");
        if (Start is { } start) arguments.AddRange(["--start", Text(start)]);
        if (Stop is { } stop) arguments.AddRange(["--stop", Text(stop)]);
        if (GameInfo is not null) arguments.AddRange(["--game-info", GameInfo]);
        if (GameData is not null) arguments.AddRange(["--game-data", GameData]);
        return arguments;
    }

    private static string Text(IFormattable value) => value.ToString(null, System.Globalization.CultureInfo.InvariantCulture);
}
