using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>What Kestrel must be told so that long streams of large messages run well.</summary>
public static class GrpcKestrel
{
    /// <summary>Sets the server-wide limits. Streams of any length and rate are allowed; their number is bounded.</summary>
    /// <param name="limits">Kestrel's limits.</param>
    /// <param name="maxStreamsPerConnection">
    /// Calls that may run at once on one connection. Kestrel's own 100 makes the 101st subscription of one grpcio
    /// channel wait without a word.
    /// </param>
    public static void SetLimits(KestrelServerLimits limits, int maxStreamsPerConnection = 1000)
    {
        limits.Http2.MaxStreamsPerConnection = maxStreamsPerConnection;
        limits.Http2.KeepAlivePingDelay = TimeSpan.FromSeconds(30);
        limits.Http2.KeepAlivePingTimeout = TimeSpan.FromSeconds(20);
        limits.MinResponseDataRate = null;
        limits.MinRequestBodyDataRate = null;
        // Messages have a limit of their own; a client stream as a whole has none.
        limits.MaxRequestBodySize = null;
    }

    /// <summary>Makes a listener speak HTTP/2 without TLS, as gRPC clients on the same machine do.</summary>
    public static void UseGrpc(this ListenOptions listener) => listener.Protocols = HttpProtocols.Http2;
}
