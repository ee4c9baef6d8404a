using System.Net.WebSockets;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>What came in.</summary>
/// <param name="Kind">Whether there is a message.</param>
/// <param name="Type">Text or binary.</param>
/// <param name="Bytes">The whole message.</param>
public readonly record struct WebSocketInput(
    WebSocketInputKind Kind, WebSocketMessageType Type = WebSocketMessageType.Binary, ReadOnlyMemory<byte> Bytes = default);

/// <summary>Kinds of input.</summary>
public enum WebSocketInputKind
{
    /// <summary>A whole message.</summary>
    Message,

    /// <summary>The peer closes.</summary>
    Closed,

    /// <summary>The peer is gone, or broke the protocol and has been told so with a close status.</summary>
    Lost,

    /// <summary>A text message is not UTF-8, which only its end showed.</summary>
    NotUtf8,

    /// <summary>A message is over the limit. Nothing can be received after it.</summary>
    TooLong,
}
