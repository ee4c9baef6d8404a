using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>The capabilities of a transport.</summary>
/// <param name="Name">Its name in the status.</param>
/// <param name="Native">The encoding that <see cref="Encoding.Auto"/> selects.</param>
/// <param name="CanAcknowledge">Whether an agent can send <see cref="Ack"/>.</param>
/// <param name="Form">How messages are written.</param>
public sealed record TransportTraits(string Name, Encoding Native, bool CanAcknowledge, WireFormat Form)
{
    /// <summary>gRPC's Subscribe.</summary>
    public static TransportTraits GrpcSubscribe { get; } = new("grpc", Encoding.Proto, false, WireFormat.Protobuf);

    /// <summary>gRPC's Session.</summary>
    public static TransportTraits GrpcSession { get; } = new("grpc", Encoding.Proto, true, WireFormat.Protobuf);

    /// <summary>The raw socket.</summary>
    public static TransportTraits Socket { get; } = new("socket", Encoding.Json, true, WireFormat.ByEncoding);

    /// <summary>A WebSocket whose client sends text messages.</summary>
    public static TransportTraits WebSocketText { get; } = new("websocket", Encoding.Json, true, WireFormat.Json);

    /// <summary>A WebSocket whose client sends binary messages.</summary>
    public static TransportTraits WebSocketBinary { get; } = new("websocket", Encoding.Proto, true, WireFormat.Protobuf);

    /// <summary>Whether messages that carry this encoding are JSON text.</summary>
    public bool IsText(Encoding encoding) => Form == WireFormat.Json || (Form == WireFormat.ByEncoding && encoding == Encoding.Json);
}
