using System.Buffers;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>A message that is held back until it is complete: its bytes as received, and its payload.</summary>
internal sealed class HeldMessage
{
    private const int MaxKeptBytes = 1024 * 1024;
    private readonly MessageCopy _copy = new();
    private ArrayBufferWriter<byte> _bytes = new();
    private SharedBuffer? _payload;

    /// <summary>Whether a message is being held.</summary>
    public bool IsOpen { get; private set; }

    /// <summary>When its first byte was received.</summary>
    public long FirstByte { get; private set; }

    /// <summary>Whether it is too large to be inspected: it is forwarded unchanged.</summary>
    public bool IsTooLarge => _bytes.WrittenCount > MessageCopy.MaxBytes;

    /// <summary>The payload of a complete message; null if it cannot be read.</summary>
    public SharedBuffer? Payload => _payload;

    /// <summary>The bytes as received.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes.WrittenSpan;

    public void Begin(long firstByte) => (IsOpen, FirstByte) = (true, firstByte);

    public void Add(ReadOnlySpan<byte> chunk, in WebSocketPart part)
    {
        _bytes.Write(chunk[part.Start..part.End]);
        if (_copy.Add(chunk, part) is { } payload) _payload = payload;
    }

    /// <summary>Discards the message.</summary>
    public void End()
    {
        IsOpen = false;
        if (_bytes.Capacity > MaxKeptBytes) _bytes = new ArrayBufferWriter<byte>();
        _bytes.ResetWrittenCount();
        _copy.Drop();
        _payload?.Release();
        _payload = null;
    }
}
