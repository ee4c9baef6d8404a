using System.Buffers;
using System.Buffers.Binary;
using Abathur.Sync.Encodings;
using Abathur.Sync.V1;

namespace Abathur.Sync.Frames;

/// <summary>
/// A frame as one stream sends it: payload and envelope are made once and shared by all subscribers of the stream. Only
/// what differs from one subscriber to the next (what it missed) is written per subscriber, between the two.
/// </summary>
public sealed class EncodedFrame : SharedObject
{
    /// <summary>Bytes of the length in front of a message on a socket.</summary>
    public const int PrefixBytes = 4;

    private const int MaxEnvelopeBytes = 1024;
    private static readonly ObjectPool<EncodedFrame> Pool = new();

    private readonly ArrayBufferWriter<byte> _protoHead = new(256);
    private readonly ArrayBufferWriter<byte> _jsonHead = new(512);
    private readonly List<EncodedFrame> _earlier = [];
    private readonly Lock _gate = new();
    private Frame _frame = null!;
    private SharedBuffer? _payload;
    private SharedBuffer? _prefixedMessage;
    private SharedBuffer? _jsonLine;
    private PayloadFormat _format;
    private long _encodedMonotonicNs;
    private int _plainBytes;

    private EncodedFrame()
    {
    }

    public ulong Sequence => _frame.Sequence;

    public uint GameLoop => _frame.GameLoop;

    /// <summary>Whether it decodes without the frames of the stream before it.</summary>
    public bool IsKeyframe { get; private set; }

    /// <summary>The observation in the stream's encoding. For plain protobuf these are the very bytes that came from the source.</summary>
    public ReadOnlyMemory<byte> Payload => _payload?.Memory ?? _frame.Observation;

    /// <summary>A frame whose payload is the observation as it came. Takes a reference of its own to <paramref name="frame"/>.</summary>
    public static EncodedFrame Plain(Frame frame) => Rent(frame, new(Encoding.Proto), null, EncodedPayload.Keyframe, 0);

    /// <summary>A frame with a payload of its own, whose reference it takes over, what its encoder said of it, and when that was ready.</summary>
    public static EncodedFrame Encoded(Frame frame, PayloadFormat format, SharedBuffer payload, EncodedPayload encoded, long encodedMonotonicNs) =>
        Rent(frame, format, payload, encoded, encodedMonotonicNs);

    /// <summary>
    /// The last of these frames, which takes the payloads of the others along: for a subscriber that skips to it and needs them to decode it.
    /// Takes over the caller's references.
    /// </summary>
    public static EncodedFrame SkipTo(EncodedFrame newest, ReadOnlySpan<EncodedFrame> earlier)
    {
        newest._payload?.Retain();
        var isKeyframe = earlier.IsEmpty ? newest.IsKeyframe : earlier[0].IsKeyframe;
        var frame = Rent(newest._frame, newest._format, newest._payload, new EncodedPayload(isKeyframe, newest._plainBytes), newest._encodedMonotonicNs);
        frame._earlier.AddRange(earlier);
        newest.Release();
        return frame;
    }

    /// <summary>Size in bytes of the message that <see cref="WriteFrame"/> writes.</summary>
    public int MeasureFrame(in DroppedFrames missed)
    {
        var bytes = ProtoHead().Length + FrameEnvelope.MeasureDropped(missed) + FrameEnvelope.MeasurePayloadPrefix(Payload.Length) + Payload.Length
            + FrameEnvelope.MeasureTail(_encodedMonotonicNs, _plainBytes);
        foreach (var frame in _earlier) bytes += FrameEnvelope.MeasureEarlierPrefix(frame.Payload.Length) + frame.Payload.Length;
        return bytes;
    }

    /// <summary>Writes <c>abathur.sync.v1.Frame</c> in protobuf.</summary>
    public void WriteFrame(IBufferWriter<byte> output, in DroppedFrames missed)
    {
        output.Write(ProtoHead());
        FrameEnvelope.WriteDropped(output, missed);
        FrameEnvelope.WritePayloadPrefix(output, _format, Payload.Length);
        output.Write(Payload.Span);
        FrameEnvelope.WriteTail(output, _encodedMonotonicNs, _plainBytes);
        foreach (var frame in _earlier)
        {
            FrameEnvelope.WriteEarlierPrefix(output, frame.Payload.Length);
            output.Write(frame.Payload.Span);
        }
    }

    /// <summary>
    /// A <c>ServerMessage</c> with the frame, its length in front (four bytes, little-endian), in one piece of memory, which all who missed nothing share. The
    /// caller releases it.
    /// </summary>
    public SharedBuffer RentPrefixedMessage(in DroppedFrames missed)
    {
        if (missed.Count > 0 || _earlier.Count > 0) return PrefixedMessage(missed);
        lock (_gate)
        {
            _prefixedMessage ??= PrefixedMessage(missed);
            _prefixedMessage.Retain();
            return _prefixedMessage;
        }
    }

    /// <summary>The line that <see cref="WriteJsonLine"/> writes, in the same way.</summary>
    public SharedBuffer RentJsonLine(in DroppedFrames missed)
    {
        if (missed.Count > 0 || _earlier.Count > 0) return JsonLine(missed);
        lock (_gate)
        {
            _jsonLine ??= JsonLine(missed);
            _jsonLine.Retain();
            return _jsonLine;
        }
    }

    /// <summary>Writes <c>{"frame":{...}}</c> and a line feed, the payload (which must be JSON) inline as <c>observation</c>.</summary>
    public void WriteJsonLine(IBufferWriter<byte> output, in DroppedFrames missed)
    {
        output.Write(JsonHead());
        FrameEnvelope.WriteDroppedJson(output, missed);
        output.Write(",\"observation\":"u8);
        output.Write(Payload.Span);
        output.Write("}}\n"u8);
    }

    protected override void OnReleased()
    {
        foreach (var frame in _earlier) frame.Release();
        _earlier.Clear();
        _payload?.Release();
        _prefixedMessage?.Release();
        _jsonLine?.Release();
        _payload = _prefixedMessage = _jsonLine = null;
        _frame.Release();
        _frame = null!;
        _protoHead.ResetWrittenCount();
        _jsonHead.ResetWrittenCount();
        Pool.Return(this);
    }

    private static EncodedFrame Rent(Frame frame, PayloadFormat format, SharedBuffer? payload, EncodedPayload of, long encodedMonotonicNs)
    {
        if (!Pool.TryRent(out var encoded)) encoded = new EncodedFrame();
        frame.Retain();
        encoded.SetRented();
        encoded._frame = frame;
        encoded._format = format;
        encoded._payload = payload;
        encoded._encodedMonotonicNs = encodedMonotonicNs;
        encoded._plainBytes = of.PlainBytes;
        encoded.IsKeyframe = of.IsKeyframe;
        return encoded;
    }

    private SharedBuffer PrefixedMessage(in DroppedFrames missed)
    {
        var frameBytes = MeasureFrame(missed);
        var messageBytes = FrameEnvelope.MeasureServerMessage(frameBytes);
        var message = SharedBuffer.Rent(PrefixBytes + messageBytes);
        BinaryPrimitives.WriteUInt32LittleEndian(message.GetSpan(PrefixBytes), (uint)messageBytes);
        message.Advance(PrefixBytes);
        FrameEnvelope.WriteServerMessagePrefix(message, frameBytes);
        WriteFrame(message, missed);
        return message;
    }

    private SharedBuffer JsonLine(in DroppedFrames missed)
    {
        var line = SharedBuffer.Rent(Payload.Length + MaxEnvelopeBytes);
        WriteJsonLine(line, missed);
        return line;
    }

    private ReadOnlySpan<byte> ProtoHead()
    {
        lock (_gate)
        {
            if (_protoHead.WrittenCount == 0) FrameEnvelope.WriteHead(_protoHead, _frame, _format, IsKeyframe);
        }
        return _protoHead.WrittenSpan;
    }

    private ReadOnlySpan<byte> JsonHead()
    {
        lock (_gate)
        {
            if (_jsonHead.WrittenCount == 0) FrameEnvelope.WriteJsonHead(_jsonHead, _frame, _format.Encoding, _encodedMonotonicNs);
        }
        return _jsonHead.WrittenSpan;
    }
}
