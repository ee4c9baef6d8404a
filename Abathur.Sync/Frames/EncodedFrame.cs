using System.Buffers;
using Abathur.Sync.V1;

namespace Abathur.Sync.Frames;

/// <summary>
/// A frame as one stream sends it: payload and envelope are made once and shared by all subscribers of the stream. Only
/// what differs from one subscriber to the next (what it missed) is written per subscriber, between the two.
/// </summary>
public sealed class EncodedFrame
{
    private const int MaxPooled = 1024;
    private static readonly Stack<EncodedFrame> Pool = new();

    private readonly ArrayBufferWriter<byte> _protoHead = new(256);
    private readonly ArrayBufferWriter<byte> _jsonHead = new(512);
    private readonly Lock _gate = new();
    private Frame _frame = null!;
    private SharedBuffer? _payload;
    private PayloadFormat _format;
    private long _encodedMonotonicNs;
    private int _references;

    private EncodedFrame()
    {
    }

    public ulong Sequence => _frame.Sequence;

    public uint GameLoop => _frame.GameLoop;

    /// <summary>The observation in the stream's encoding. For plain protobuf these are the very bytes that came from the source.</summary>
    public ReadOnlyMemory<byte> Payload => _payload?.Memory ?? _frame.Observation;

    /// <summary>A frame whose payload is the observation as it came. Takes a reference of its own to <paramref name="frame"/>.</summary>
    public static EncodedFrame Plain(Frame frame) => Rent(frame, new(Encoding.Proto), null, 0);

    /// <summary>A frame with a payload of its own, whose reference it takes over, and when that was ready.</summary>
    public static EncodedFrame Encoded(Frame frame, PayloadFormat format, SharedBuffer payload, long encodedMonotonicNs) =>
        Rent(frame, format, payload, encodedMonotonicNs);

    public void Retain() => Interlocked.Increment(ref _references);

    public void Release()
    {
        var left = Interlocked.Decrement(ref _references);
        if (left > 0) return;
        if (left < 0) throw new InvalidOperationException("the frame has been returned already");
        _payload?.Release();
        _payload = null;
        _frame.Release();
        _frame = null!;
        _protoHead.ResetWrittenCount();
        _jsonHead.ResetWrittenCount();
        lock (Pool)
        {
            if (Pool.Count < MaxPooled) Pool.Push(this);
        }
    }

    /// <summary>Size in bytes of the message that <see cref="WriteFrame"/> writes.</summary>
    public int MeasureFrame(in Missed missed) =>
        ProtoHead().Length + FrameEnvelope.MeasureMissed(missed) + FrameEnvelope.MeasurePayloadPrefix(Payload.Length) + Payload.Length
        + FrameEnvelope.MeasureTail(_encodedMonotonicNs);

    /// <summary>Writes <c>abathur.sync.v1.Frame</c> in protobuf.</summary>
    public void WriteFrame(IBufferWriter<byte> output, in Missed missed)
    {
        output.Write(ProtoHead());
        FrameEnvelope.WriteMissed(output, missed);
        FrameEnvelope.WritePayloadPrefix(output, _format, Payload.Length);
        output.Write(Payload.Span);
        FrameEnvelope.WriteTail(output, _encodedMonotonicNs);
    }

    /// <summary>Writes <c>{"frame":{...}}</c> and a line feed, the payload (which must be JSON) inline as <c>observation</c>.</summary>
    public void WriteJsonLine(IBufferWriter<byte> output, in Missed missed)
    {
        WriteJson(output, missed);
        output.Write("\n"u8);
    }

    /// <summary>Writes <c>{"frame":{...}}</c>, the payload (which must be JSON) inline as <c>observation</c>.</summary>
    public void WriteJson(IBufferWriter<byte> output, in Missed missed)
    {
        output.Write(JsonHead());
        FrameEnvelope.WriteMissedJson(output, missed);
        output.Write(",\"observation\":"u8);
        output.Write(Payload.Span);
        output.Write("}}"u8);
    }

    private static EncodedFrame Rent(Frame frame, PayloadFormat format, SharedBuffer? payload, long encodedMonotonicNs)
    {
        EncodedFrame? encoded;
        lock (Pool) Pool.TryPop(out encoded);
        encoded ??= new EncodedFrame();
        frame.Retain();
        encoded._references = 1;
        encoded._frame = frame;
        encoded._format = format;
        encoded._payload = payload;
        encoded._encodedMonotonicNs = encodedMonotonicNs;
        return encoded;
    }

    private ReadOnlySpan<byte> ProtoHead()
    {
        lock (_gate)
        {
            if (_protoHead.WrittenCount == 0) FrameEnvelope.WriteHead(_protoHead, _frame, _format);
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
