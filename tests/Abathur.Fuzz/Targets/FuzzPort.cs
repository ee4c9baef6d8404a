namespace Abathur.Fuzz.Targets;

/// <summary>What a fuzzed daemon listens to.</summary>
internal enum FuzzPort
{
    /// <summary>The raw socket.</summary>
    Socket,

    /// <summary>HTTP, for WebSocket.</summary>
    Web,

    /// <summary>HTTP/2, for gRPC.</summary>
    Grpc,
}
