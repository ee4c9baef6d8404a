namespace Abathur.Sync.Sources.Proxy;

/// <summary>What a chunk of bytes holds of one WebSocket frame: a piece of its header, of its payload, or both.</summary>
/// <param name="Start">Offset in the chunk at which the part begins.</param>
/// <param name="PayloadStart">Offset of its payload bytes; <paramref name="End"/> where it has none.</param>
/// <param name="End">Offset behind it.</param>
internal readonly record struct WebSocketPart(int Start, int PayloadStart, int End)
{
    /// <summary>Whether the frame is a ping, a pong or a close rather than data.</summary>
    public bool IsControl { get; init; }

    /// <summary>Whether the frame is a close.</summary>
    public bool IsClose { get; init; }

    /// <summary>Whether a message begins with this part.</summary>
    public bool Opens { get; init; }

    /// <summary>Whether a message ends with this part.</summary>
    public bool Closes { get; init; }

    /// <summary>Whether the payload is a part of a message as it was sent: not compressed. The game reads text messages as binary ones.</summary>
    public bool IsReadable { get; init; }

    /// <summary>Payload bytes of the frame that are still to come, those of this part included.</summary>
    public ulong FrameBytesLeft { get; init; }

    /// <summary>The mask, as it applies to the first payload byte of this part; 0 where there is none.</summary>
    public uint Mask { get; init; }
}
