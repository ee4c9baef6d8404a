using Abathur.Sync.Frames;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Puts the payload of a message together from the parts that pass. A message that is compressed or too large is not kept.</summary>
internal sealed class MessageCopy
{
    /// <summary>Largest message that is looked at, in bytes. Larger ones pass unseen.</summary>
    public const int MaxBytes = 64 * 1024 * 1024;

    // What a header announces is believed up to here.
    private const int MaxReserved = 1024 * 1024;

    private SharedBuffer? _payload;
    private bool _skips;

    /// <summary>Adds a part of a data frame. At the end of the message: its payload, whose reference is the caller's; null where it is not kept.</summary>
    public SharedBuffer? Add(ReadOnlySpan<byte> chunk, in WebSocketPart part)
    {
        if (part.Opens) Begin();
        var bytes = chunk[part.PayloadStart..part.End];
        // What a header said of the message is known with its last byte only.
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

    /// <summary>Forgets what is there of a message that will not be completed.</summary>
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
