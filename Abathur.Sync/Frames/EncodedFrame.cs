using System.Runtime.InteropServices;
using Abathur.Sync.V1;

namespace Abathur.Sync.Frames;

/// <summary>A frame as one stream sends it: metadata and a payload, shared by all subscribers of the stream.</summary>
public sealed class EncodedFrame : SharedObject
{
    private static readonly ObjectPool<EncodedFrame> Pool = new();

    private readonly List<(IFrameFraming Framing, SkippedEventsMessage? Events, SharedBuffer Message)> _messages = [];
    private readonly List<EncodedFrame> _earlier = [];
    private readonly Lock _gate = new();
    private SharedFrame _frame = null!;
    private SharedBuffer? _payload;

    private EncodedFrame()
    {
    }

    /// <inheritdoc cref="SharedFrame.MatchId"/>
    public string MatchId => _frame.MatchId;

    /// <inheritdoc cref="SharedFrame.Sequence"/>
    public ulong Sequence => _frame.Sequence;

    /// <inheritdoc cref="SharedFrame.GameLoop"/>
    public uint GameLoop => _frame.GameLoop;

    /// <inheritdoc cref="SharedFrame.Captured"/>
    public FrameStamp Captured => _frame.Captured;

    /// <inheritdoc cref="SharedFrame.Published"/>
    public FrameStamp Published => _frame.Published;

    /// <summary>Whether it decodes without the frames of the stream before it.</summary>
    public bool IsKeyframe { get; private set; }

    /// <summary>Format of the payload.</summary>
    public PayloadFormat Format { get; private set; }

    /// <summary>When the payload was ready, in nanoseconds of the monotonic clock; 0 if it is the unchanged observation.</summary>
    public long EncodedMonotonicNs { get; private set; }

    /// <summary>Bytes of the payload before compression; 0 if it is not compressed.</summary>
    public int PlainBytes { get; private set; }

    /// <summary>The observation in the stream's encoding. For plain protobuf these are the bytes from the source.</summary>
    public ReadOnlyMemory<byte> Payload => _payload?.Memory ?? _frame.Observation;

    /// <summary>Frames whose payloads are sent with this one because it depends on them, oldest first: for a subscriber that skips to this
    /// frame.</summary>
    public ReadOnlySpan<EncodedFrame> Earlier => CollectionsMarshal.AsSpan(_earlier);

    /// <summary>A frame whose payload is the unchanged observation. Takes its own reference to <paramref name="frame"/>.</summary>
    public static EncodedFrame Plain(SharedFrame frame) => Rent(frame, new(Encoding.Proto), null, EncodedPayload.Keyframe, 0);

    /// <summary>A frame with an encoded payload, whose reference it takes over, the result of its encoder, and the time when it was
    /// ready.</summary>
    public static EncodedFrame Encoded(
        SharedFrame frame, PayloadFormat format, SharedBuffer payload, EncodedPayload encoded, long encodedMonotonicNs) =>
        Rent(frame, format, payload, encoded, encodedMonotonicNs);

    /// <summary>
    /// The last of these frames with the payloads of the others: for a subscriber that skips to it and needs them to decode it.
    /// Takes over the caller's references.
    /// </summary>
    public static EncodedFrame SkipTo(EncodedFrame newest, ReadOnlySpan<EncodedFrame> earlier)
    {
        newest._payload?.Retain();
        var isKeyframe = earlier.IsEmpty ? newest.IsKeyframe : earlier[0].IsKeyframe;
        var frame = Rent(
            newest._frame, newest.Format, newest._payload, new EncodedPayload(isKeyframe, newest.PlainBytes), newest.EncodedMonotonicNs);
        frame._earlier.AddRange(earlier);
        newest.Release();
        return frame;
    }

    /// <summary>The frame as a message in contiguous memory, shared by all subscribers without dropped frames and with the same events
    /// before it. The caller releases it.</summary>
    /// <param name="framing">How the message is written.</param>
    /// <param name="dropped">Frames dropped before it.</param>
    public SharedBuffer RentMessage(IFrameFraming framing, in DroppedFrames dropped)
    {
        if (dropped.Count > 0 || _earlier.Count > 0) return framing.Write(this, dropped);
        lock (_gate)
        {
            foreach (var (madeBy, events, message) in _messages)
            {
                if (!ReferenceEquals(madeBy, framing) || !ReferenceEquals(events, dropped.Events)) continue;
                message.Retain();
                return message;
            }
            var made = framing.Write(this, dropped);
            made.Retain();
            _messages.Add((framing, dropped.Events, made));
            return made;
        }
    }

    protected override void OnReleased()
    {
        foreach (var frame in _earlier) frame.Release();
        _earlier.Clear();
        foreach (var (_, _, message) in _messages) message.Release();
        _messages.Clear();
        _payload?.Release();
        _payload = null;
        _frame.Release();
        _frame = null!;
        Pool.Return(this);
    }

    private static EncodedFrame Rent(
        SharedFrame frame, PayloadFormat format, SharedBuffer? payload, EncodedPayload of, long encodedMonotonicNs)
    {
        if (!Pool.TryRent(out var encoded)) encoded = new EncodedFrame();
        frame.Retain();
        encoded.SetRented();
        encoded._frame = frame;
        encoded._payload = payload;
        encoded.Format = format;
        encoded.EncodedMonotonicNs = encodedMonotonicNs;
        encoded.PlainBytes = of.PlainBytes;
        encoded.IsKeyframe = of.IsKeyframe;
        return encoded;
    }
}
