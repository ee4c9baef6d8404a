using System.Net.WebSockets;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>A received input.</summary>
/// <param name="Kind">Kind of the input.</param>
/// <param name="Type">Text or binary.</param>
/// <param name="Bytes">The complete message.</param>
public readonly record struct WebSocketInput(
    WebSocketInputKind Kind, WebSocketMessageType Type = WebSocketMessageType.Binary, ReadOnlyMemory<byte> Bytes = default);

/// <summary>Kinds of input.</summary>
public enum WebSocketInputKind
{
    /// <summary>A complete message.</summary>
    Message,

    /// <summary>The peer closes.</summary>
    Closed,

    /// <summary>The peer has disconnected, or broke the protocol and got a close status.</summary>
    Lost,

    /// <summary>A text message is not UTF-8, which was detected at its end.</summary>
    NotUtf8,

    /// <summary>A message is over the limit. Nothing can be received after it.</summary>
    TooLong,

    /// <summary>Unfinished messages of all connections have too many bytes. Nothing can be received after it.</summary>
    NoRoom,
}
