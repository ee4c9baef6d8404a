using Abathur.Sync.Access;
using Abathur.Sync.Dashboard;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports.WebSocket;

namespace Abathur.Sync.Hosting;

/// <summary>Where the daemon listens, and its bounds.</summary>
public sealed record DaemonOptions
{
    public const int DefaultGrpcPort = 22400;
    public const int DefaultSocketPort = 22401;
    public const int DefaultHttpPort = 22402;

    /// <summary>Who may connect, and what they may do. Default: every program on this machine may do everything.</summary>
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

    /// <summary>Connections at once, all transports together. Default 1,000; on Linux fewer where the process may not open so many files and 256 besides.</summary>
    public int MaxConnections { get; init; } = 1000;

    /// <summary>How long agents may take nothing of what is still on the way when the match is over. Default 10 s.</summary>
    public TimeSpan MatchEndTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long agents have to take what is still on the way when the daemon is told to stop. Default 5 s.</summary>
    public TimeSpan DrainTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a peer may acknowledge nothing, or take nothing of what is sent to it, before its connection counts as dead: a machine that
    /// is gone says no goodbye, and neither does a process that is stopped. Default 5 min: an agent may stand in a debugger for a while. Kept by the operating system; Windows and macOS only see the first.
    /// </summary>
    public TimeSpan DeadPeerTimeout { get; init; } = TimeSpan.FromMinutes(5);

    public WebSocketTransportOptions WebSocket { get; init; } = new();

    public RecordingsOptions Recordings { get; init; } = new();

    public HubOptions Hub { get; init; } = new();
}
