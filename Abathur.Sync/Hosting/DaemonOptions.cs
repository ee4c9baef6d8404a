using Abathur.Sync.Access;
using Abathur.Sync.Dashboard;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports.WebSocket;

namespace Abathur.Sync.Hosting;

/// <summary>Addresses and limits of the daemon.</summary>
public sealed record DaemonOptions
{
    public const int DefaultGrpcPort = 22400;
    public const int DefaultSocketPort = 22401;
    public const int DefaultHttpPort = 22402;

    /// <summary>The largest TCP port.</summary>
    public const int MaxPort = 65535;

    /// <summary>The access rules. Default: every program on this machine may do everything.</summary>
    public AccessOptions Access { get; init; } = new();

    /// <summary>Port of gRPC; 0: any free one; null: none. Default 22400.</summary>
    public int? GrpcPort { get; init; } = DefaultGrpcPort;

    /// <summary>Port of the raw socket; 0: any free one; null: none. Default 22401.</summary>
    public int? SocketPort { get; init; } = DefaultSocketPort;

    /// <summary>Port of HTTP, for WebSocket; 0: any free one; null: none. Default 22402.</summary>
    public int? HttpPort { get; init; } = DefaultHttpPort;

    /// <summary>Path of a Unix domain socket for gRPC; null: none.</summary>
    public string? GrpcUnixSocket { get; init; }

    /// <summary>Path of a Unix domain socket for the raw protocol; null: none.</summary>
    public string? SocketUnixSocket { get; init; }

    /// <summary>Connections at once, all transports together. Default 1,000; on Linux fewer if the process may not open that many files and
    /// 256 more.</summary>
    public int MaxConnections { get; init; } = 1000;

    /// <summary>How long an agent with pending frames may read nothing after the end of the match. Default 10 s.</summary>
    public TimeSpan MatchEndTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long agents have to read their pending frames when the daemon is told to stop. Default 5 s.</summary>
    public TimeSpan DrainTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a peer may acknowledge nothing, or read nothing of what is sent to it, before its connection counts as dead: a machine that
    /// lost its network sends no close, and neither does a suspended process. Default 5 min, because an agent may be stopped in a debugger.
    /// Enforced by the operating system; Windows and macOS only detect missing acknowledgements.
    /// </summary>
    public TimeSpan DeadPeerTimeout { get; init; } = TimeSpan.FromMinutes(5);

    public WebSocketTransportOptions WebSocket { get; init; } = new();

    public RecordingsOptions Recordings { get; init; } = new();

    public HubOptions Hub { get; init; } = new();

    /// <summary>What is wrong with these options, in one line that names the option; null if nothing is. <see cref="Daemon"/> checks it
    /// before it opens anything.</summary>
    public string? Problem() => OptionProblems.First(
        Access.Problem(),
        OptionProblems.Range(nameof(GrpcPort), GrpcPort ?? 0, 0, MaxPort),
        OptionProblems.Range(nameof(SocketPort), SocketPort ?? 0, 0, MaxPort),
        OptionProblems.Range(nameof(HttpPort), HttpPort ?? 0, 0, MaxPort),
        OptionProblems.Range(nameof(MaxConnections), MaxConnections, 1),
        OptionProblems.Time(nameof(MatchEndTimeout), MatchEndTimeout),
        OptionProblems.Time(nameof(DrainTimeout), DrainTimeout),
        OptionProblems.Time(nameof(DeadPeerTimeout), DeadPeerTimeout),
        WebSocket.Problem(),
        Recordings.Problem(),
        Hub.Problem(),
        Access.WatchDelay > TimeSpan.Zero && Hub.HistoryBytes == 0
            ? $"a delay needs {nameof(Hub.HistoryBytes)} of more than 0, because frames wait in the history"
            : null);
}
