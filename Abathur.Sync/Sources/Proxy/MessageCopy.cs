using Abathur.Sync.Frames;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Assembles the payload of a message from its parts. A compressed or too large message is not kept.</summary>
internal sealed class MessageCopy
{
    /// <summary>Largest message that is inspected, in bytes. Larger ones are only forwarded.</summary>
    public const int MaxBytes = 64 * 1024 * 1024;

    // Maximum memory that is reserved because of a length in a header.
    private const int MaxReserved = 1024 * 1024;

    private SharedBuffer? _payload;
    private bool _skips;

    /// <summary>Adds a part of a data frame. Returns the payload at the end of the message, whose reference is the caller's; null if it is
    /// not kept.</summary>
    public SharedBuffer? Add(ReadOnlySpan<byte> chunk, in WebSocketPart part)
    {
        if (part.Opens) Begin();
        var bytes = chunk[part.PayloadStart..part.End];
        // The flags of a header are known only after its last byte.
        if (part.End > part.PayloadStart || part.Closes) _skips |= !part.IsReadable;
        if (!_skips && (_payload?.Span.Length ?? 0) + bytes.Length > MaxBytes) Drop();
        if (!_skips && !bytes.IsEmpty)
        {
            _payload ??= SharedBuffer.Rent((int)Math.Min(part.FrameBytesLeft, MaxReserved));
            var span = _payload.GetSpan(bytes.Length)[..bytes.Length];
            bytes.CopyTo(span);
            WebSocketFrameParser.Unmask(span, part.Mask);
            _payload.Advance(bytes.Length);
        }
        if (!part.Closes) return null;
        if (_skips) Drop();
        var whole = _skips ? null : _payload ?? SharedBuffer.Rent();
        _payload = null;
        return whole;
    }

    /// <summary>Discards an incomplete message.</summary>
    public void Drop()
    {
        _skips = true;
        _payload?.Release();
        _payload = null;
    }

    private void Begin()
    {
        Drop();
        _skips = false;
    }
}
