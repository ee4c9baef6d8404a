using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Abathur.Protobuf.Wire;
using Abathur.Sync.V1;
using Google.Protobuf;
using Wire = Abathur.Sync.V1.Frame;

namespace Abathur.Sync.Frames;

/// <summary>
/// Writes the fields of <c>abathur.sync.v1.Frame</c> around a payload that is not copied: first the fields that all
/// subscribers share, then what this one missed, then tag and length of the payload, and what follows it. In field order, so that the bytes
/// are those that any protobuf library would write.
/// </summary>
internal static class FrameEnvelope
{
    /// <summary>Fields 1 to 10.</summary>
    public static void WriteHead(IBufferWriter<byte> output, Frame frame, PayloadFormat format, bool isKeyframe)
    {
        WriteString(output, Wire.MatchIdFieldNumber, frame.MatchId);
        WriteVarint(output, Wire.SequenceFieldNumber, frame.Sequence);
        WriteVarint(output, Wire.GameLoopFieldNumber, frame.GameLoop);
        WriteVarint(output, Wire.CapturedMonotonicNsFieldNumber, (ulong)frame.Captured.MonotonicNs);
        WriteVarint(output, Wire.CapturedUnixNsFieldNumber, (ulong)frame.Captured.UnixNs);
        WriteVarint(output, Wire.PublishedMonotonicNsFieldNumber, (ulong)frame.Published.MonotonicNs);
        WriteVarint(output, Wire.PublishedUnixNsFieldNumber, (ulong)frame.Published.UnixNs);
        WriteVarint(output, Wire.KeyframeFieldNumber, isKeyframe ? 1u : 0u);
        WriteVarint(output, Wire.EncodingFieldNumber, (ulong)format.Encoding);
        WriteVarint(output, Wire.CompressionFieldNumber, (ulong)format.Compression);
    }

    /// <summary>Fields 11 to 13; nothing where nothing was missed.</summary>
    public static void WriteDropped(IBufferWriter<byte> output, in DroppedFrames missed)
    {
        if (missed.Count == 0) return;
        WriteVarint(output, Wire.DroppedFieldNumber, missed.Count);
        WritePresent(output, Wire.DroppedFirstGameLoopFieldNumber, missed.FirstGameLoop);
        WritePresent(output, Wire.DroppedLastGameLoopFieldNumber, missed.LastGameLoop);
    }

    public static int MeasureDropped(in DroppedFrames missed) => missed.Count == 0
        ? 0
        : 3 + CodedOutputStream.ComputeUInt64Size(missed.Count)
            + CodedOutputStream.ComputeUInt32Size(missed.FirstGameLoop)
            + CodedOutputStream.ComputeUInt32Size(missed.LastGameLoop);

    /// <summary>Tag and length of field 14 or 15.</summary>
    public static void WritePayloadPrefix(IBufferWriter<byte> output, PayloadFormat format, int payloadBytes)
    {
        var number = format.IsObservation ? Wire.ObservationFieldNumber : Wire.DataFieldNumber;
        var span = output.GetSpan(1 + Varint.MaxBytes);
        span[0] = (byte)WireFormat.MakeTag(number, WireFormat.WireType.LengthDelimited);
        output.Advance(1 + Varint.Write(span[1..], (uint)payloadBytes));
    }

    public static int MeasurePayloadPrefix(int payloadBytes) => 1 + CodedOutputStream.ComputeLengthSize(payloadBytes);

    /// <summary>Fields 16 and 17, behind the payload; nothing where they are 0.</summary>
    public static void WriteTail(IBufferWriter<byte> output, long encodedMonotonicNs, int plainBytes)
    {
        if (encodedMonotonicNs != 0) WriteLongTagged(output, WireFormat.MakeTag(Wire.EncodedMonotonicNsFieldNumber, WireFormat.WireType.Varint), (ulong)encodedMonotonicNs);
        if (plainBytes != 0) WriteLongTagged(output, WireFormat.MakeTag(Wire.PlainBytesFieldNumber, WireFormat.WireType.Varint), (ulong)plainBytes);
    }

    public static int MeasureTail(long encodedMonotonicNs, int plainBytes) =>
        (encodedMonotonicNs == 0 ? 0 : 2 + CodedOutputStream.ComputeInt64Size(encodedMonotonicNs))
        + (plainBytes == 0 ? 0 : 2 + CodedOutputStream.ComputeInt64Size(plainBytes));

    /// <summary>Tag and length of one field 18.</summary>
    public static void WriteEarlierPrefix(IBufferWriter<byte> output, int payloadBytes) =>
        WriteLongTagged(output, WireFormat.MakeTag(Wire.EarlierFieldNumber, WireFormat.WireType.LengthDelimited), (ulong)payloadBytes);

    public static int MeasureEarlierPrefix(int payloadBytes) => 2 + CodedOutputStream.ComputeLengthSize(payloadBytes);

    /// <summary>Size of a <c>ServerMessage</c> that holds a frame of so many bytes.</summary>
    public static int MeasureServerMessage(int frameBytes) => 1 + CodedOutputStream.ComputeLengthSize(frameBytes) + frameBytes;

    /// <summary>What stands before the frame in it: tag and length.</summary>
    public static void WriteServerMessagePrefix(IBufferWriter<byte> output, int frameBytes)
    {
        var span = output.GetSpan(1 + Varint.MaxBytes);
        span[0] = (byte)WireFormat.MakeTag(ServerMessage.FrameFieldNumber, WireFormat.WireType.LengthDelimited);
        output.Advance(1 + Varint.Write(span[1..], (uint)frameBytes));
    }

    /// <summary>The same head as ProtoJSON, open at its end: <c>{"frame":{"matchId":...,...,"encoding":"json"</c>.</summary>
    public static void WriteJsonHead(IBufferWriter<byte> output, Frame frame, Encoding encoding, long encodedMonotonicNs)
    {
        output.Write("{\"frame\":{\"matchId\":\""u8);
        output.Write(JsonEncodedText.Encode(frame.MatchId).EncodedUtf8Bytes);
        output.Write("\",\"sequence\":\""u8);
        WriteNumber(output, (long)frame.Sequence);
        output.Write("\",\"gameLoop\":"u8);
        WriteNumber(output, frame.GameLoop);
        output.Write(",\"capturedMonotonicNs\":\""u8);
        WriteNumber(output, frame.Captured.MonotonicNs);
        output.Write("\",\"capturedUnixNs\":\""u8);
        WriteNumber(output, frame.Captured.UnixNs);
        output.Write("\",\"publishedMonotonicNs\":\""u8);
        WriteNumber(output, frame.Published.MonotonicNs);
        output.Write("\",\"publishedUnixNs\":\""u8);
        WriteNumber(output, frame.Published.UnixNs);
        output.Write("\",\"keyframe\":true,\"encoding\":\""u8);
        output.Write(encoding == Encoding.Json ? "json"u8 : "proto"u8);
        if (encodedMonotonicNs != 0)
        {
            output.Write("\",\"encodedMonotonicNs\":\""u8);
            WriteNumber(output, encodedMonotonicNs);
        }
        output.Write("\""u8);
    }

    public static void WriteDroppedJson(IBufferWriter<byte> output, in DroppedFrames missed)
    {
        if (missed.Count == 0) return;
        output.Write(",\"dropped\":\""u8);
        WriteNumber(output, (long)missed.Count);
        output.Write("\",\"droppedFirstGameLoop\":"u8);
        WriteNumber(output, missed.FirstGameLoop);
        output.Write(",\"droppedLastGameLoop\":"u8);
        WriteNumber(output, missed.LastGameLoop);
    }

    private static void WriteNumber(IBufferWriter<byte> output, long value)
    {
        var span = output.GetSpan(20);
        value.TryFormat(span, out var written, provider: CultureInfo.InvariantCulture);
        output.Advance(written);
    }

    private static void WriteString(IBufferWriter<byte> output, int number, string value)
    {
        if (value.Length == 0) return;
        var bytes = System.Text.Encoding.UTF8.GetByteCount(value);
        var span = output.GetSpan(1 + Varint.MaxBytes + bytes);
        span[0] = (byte)WireFormat.MakeTag(number, WireFormat.WireType.LengthDelimited);
        var prefix = 1 + Varint.Write(span[1..], (uint)bytes);
        System.Text.Encoding.UTF8.GetBytes(value, span[prefix..]);
        output.Advance(prefix + bytes);
    }

    /// <summary>A field without presence: the default is not written.</summary>
    private static void WriteVarint(IBufferWriter<byte> output, int number, ulong value)
    {
        if (value != 0) WritePresent(output, number, value);
    }

    /// <summary>A field whose number is too large for a tag of one byte.</summary>
    private static void WriteLongTagged(IBufferWriter<byte> output, uint tag, ulong value)
    {
        var span = output.GetSpan(2 + Varint.MaxBytes);
        var length = Varint.Write(span, tag);
        output.Advance(length + Varint.Write(span[length..], value));
    }

    private static void WritePresent(IBufferWriter<byte> output, int number, ulong value)
    {
        var span = output.GetSpan(1 + Varint.MaxBytes);
        span[0] = (byte)WireFormat.MakeTag(number, WireFormat.WireType.Varint);
        output.Advance(1 + Varint.Write(span[1..], value));
    }
}
