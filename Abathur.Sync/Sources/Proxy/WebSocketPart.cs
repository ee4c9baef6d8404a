namespace Abathur.Sync.Sources.Proxy;

/// <summary>The part of a WebSocket frame in a chunk of bytes: a piece of its header, of its payload, or both.</summary>
/// <param name="Start">Offset in the chunk at which the part begins.</param>
/// <param name="PayloadStart">Offset of its payload bytes; <paramref name="End"/> if it has none.</param>
/// <param name="End">Offset after it.</param>
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

    /// <summary>Whether the payload is a part of an uncompressed message. The game treats text messages as binary ones.</summary>
    public bool IsReadable { get; init; }

    /// <summary>Payload bytes of the frame that are still to come, those of this part included.</summary>
    public ulong FrameBytesLeft { get; init; }

    /// <summary>The mask, as it applies to the first payload byte of this part, or 0.</summary>
    public uint Mask { get; init; }
}
