using System.Buffers;
using System.Buffers.Binary;
using Abathur.Protobuf.Wire;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Google.Protobuf;
using Tag = Google.Protobuf.WireFormat;

namespace Abathur.Sync.Transports.Framing;

/// <summary>
/// Writes <c>abathur.sync.v1.Frame</c> in protobuf around a payload that is already serialized, in field order: the same bytes as
/// those of a protobuf library.
/// </summary>
internal static class ProtoFraming
{
    /// <summary>Bytes of the length in front of a message on a socket.</summary>
    public const int PrefixBytes = 4;

    private const int HeadFields = 9;

    /// <summary>A <c>ServerMessage</c> with the frame, its length in front (four bytes, little-endian).</summary>
    public static IFrameFraming LengthPrefixed { get; } = new LengthPrefixedFraming();

    /// <summary>Size in bytes of the message that <see cref="WriteFrame"/> writes.</summary>
    public static int MeasureFrame(EncodedFrame frame, in DroppedFrames dropped)
    {
        var bytes = frame.MatchId.Length == 0
            ? 0
            : MeasureBytes(Frame.MatchIdFieldNumber, System.Text.Encoding.UTF8.GetByteCount(frame.MatchId));
        Span<(int Number, ulong Value)> head = stackalloc (int, ulong)[HeadFields];
        ListHead(frame, head);
        foreach (var (number, value) in head) bytes += value == 0 ? 0 : MeasureVarint(number, value);
        if (dropped.Count > 0)
        {
            bytes += MeasureVarint(Frame.DroppedFieldNumber, dropped.Count)
                + MeasureVarint(Frame.DroppedFirstGameLoopFieldNumber, dropped.FirstGameLoop)
                + MeasureVarint(Frame.DroppedLastGameLoopFieldNumber, dropped.LastGameLoop);
        }
        bytes += MeasureBytes(PayloadNumber(frame), frame.Payload.Length);
        if (frame.EncodedMonotonicNs != 0) bytes += MeasureVarint(Frame.EncodedMonotonicNsFieldNumber, (ulong)frame.EncodedMonotonicNs);
        if (frame.PlainBytes != 0) bytes += MeasureVarint(Frame.PlainBytesFieldNumber, (ulong)frame.PlainBytes);
        foreach (var earlier in frame.Earlier) bytes += MeasureBytes(Frame.EarlierFieldNumber, earlier.Payload.Length);
        if (dropped.Events is not { } events) return bytes;
        if (!events.Message.IsEmpty) bytes += MeasureBytes(Frame.SkippedEventsFieldNumber, events.Message.Length);
        if (events.IsIncomplete) bytes += MeasureVarint(Frame.SkippedEventsIncompleteFieldNumber, 1);
        return bytes;
    }

    /// <summary>Writes <c>abathur.sync.v1.Frame</c>.</summary>
    public static void WriteFrame(IBufferWriter<byte> output, EncodedFrame frame, in DroppedFrames dropped)
    {
        if (frame.MatchId.Length > 0) WriteText(output, Frame.MatchIdFieldNumber, frame.MatchId);
        Span<(int Number, ulong Value)> head = stackalloc (int, ulong)[HeadFields];
        ListHead(frame, head);
        foreach (var (number, value) in head)
        {
            if (value != 0) WriteVarint(output, number, value);
        }
        if (dropped.Count > 0)
        {
            WriteVarint(output, Frame.DroppedFieldNumber, dropped.Count);
            WriteVarint(output, Frame.DroppedFirstGameLoopFieldNumber, dropped.FirstGameLoop);
            WriteVarint(output, Frame.DroppedLastGameLoopFieldNumber, dropped.LastGameLoop);
        }
        WriteBytes(output, PayloadNumber(frame), frame.Payload.Span);
        if (frame.EncodedMonotonicNs != 0) WriteVarint(output, Frame.EncodedMonotonicNsFieldNumber, (ulong)frame.EncodedMonotonicNs);
        if (frame.PlainBytes != 0) WriteVarint(output, Frame.PlainBytesFieldNumber, (ulong)frame.PlainBytes);
        foreach (var earlier in frame.Earlier) WriteBytes(output, Frame.EarlierFieldNumber, earlier.Payload.Span);
        if (dropped.Events is not { } events) return;
        if (!events.Message.IsEmpty) WriteBytes(output, Frame.SkippedEventsFieldNumber, events.Message.Span);
        if (events.IsIncomplete) WriteVarint(output, Frame.SkippedEventsIncompleteFieldNumber, 1);
    }

    /// <summary>Size of a <c>ServerMessage</c> with a frame of <paramref name="frameBytes"/> bytes.</summary>
    public static int MeasureServerMessage(int frameBytes) => MeasureBytes(ServerMessage.FrameFieldNumber, frameBytes);

    /// <summary>Writes a <c>ServerMessage</c> with a frame that takes <paramref name="frameBytes"/>.</summary>
    public static void WriteServerMessage(IBufferWriter<byte> output, EncodedFrame frame, in DroppedFrames dropped, int frameBytes)
    {
        WriteLength(output, ServerMessage.FrameFieldNumber, frameBytes);
        WriteFrame(output, frame, dropped);
    }

    /// <summary>The numbers of fields 2 to 10, which are not written where they are 0.</summary>
    private static void ListHead(EncodedFrame frame, Span<(int Number, ulong Value)> head)
    {
        head[0] = (Frame.SequenceFieldNumber, frame.Sequence);
        head[1] = (Frame.GameLoopFieldNumber, frame.GameLoop);
        head[2] = (Frame.CapturedMonotonicNsFieldNumber, (ulong)frame.Captured.MonotonicNs);
        head[3] = (Frame.CapturedUnixNsFieldNumber, (ulong)frame.Captured.UnixNs);
        head[4] = (Frame.PublishedMonotonicNsFieldNumber, (ulong)frame.Published.MonotonicNs);
        head[5] = (Frame.PublishedUnixNsFieldNumber, (ulong)frame.Published.UnixNs);
        head[6] = (Frame.KeyframeFieldNumber, frame.IsKeyframe ? 1u : 0u);
        head[7] = (Frame.EncodingFieldNumber, (ulong)frame.Format.Encoding);
        head[8] = (Frame.CompressionFieldNumber, (ulong)frame.Format.Compression);
    }

    private static int PayloadNumber(EncodedFrame frame) =>
        frame.Format.IsObservation ? Frame.ObservationFieldNumber : Frame.DataFieldNumber;

    private static int MeasureVarint(int number, ulong value) =>
        CodedOutputStream.ComputeTagSize(number) + CodedOutputStream.ComputeUInt64Size(value);

    private static int MeasureBytes(int number, int bytes) =>
        CodedOutputStream.ComputeTagSize(number) + CodedOutputStream.ComputeLengthSize(bytes) + bytes;

    private static void WriteVarint(IBufferWriter<byte> output, int number, ulong value) =>
        WriteTagged(output, number, Tag.WireType.Varint, value);

    private static void WriteLength(IBufferWriter<byte> output, int number, int bytes) =>
        WriteTagged(output, number, Tag.WireType.LengthDelimited, (uint)bytes);

    private static void WriteBytes(IBufferWriter<byte> output, int number, ReadOnlySpan<byte> bytes)
    {
        WriteLength(output, number, bytes.Length);
        output.Write(bytes);
    }

    private static void WriteText(IBufferWriter<byte> output, int number, string text)
    {
        var bytes = System.Text.Encoding.UTF8.GetByteCount(text);
        WriteLength(output, number, bytes);
        System.Text.Encoding.UTF8.GetBytes(text, output.GetSpan(bytes));
        output.Advance(bytes);
    }

    private static void WriteTagged(IBufferWriter<byte> output, int number, Tag.WireType type, ulong value)
    {
        var span = output.GetSpan(2 * Varint.MaxBytes);
        var tagBytes = Varint.Write(span, Tag.MakeTag(number, type));
        output.Advance(tagBytes + Varint.Write(span[tagBytes..], value));
    }

    private sealed class LengthPrefixedFraming : IFrameFraming
    {
        public SharedBuffer Write(EncodedFrame frame, in DroppedFrames dropped)
        {
            var frameBytes = MeasureFrame(frame, dropped);
            var messageBytes = MeasureServerMessage(frameBytes);
            var message = SharedBuffer.Rent(PrefixBytes + messageBytes);
            BinaryPrimitives.WriteUInt32LittleEndian(message.GetSpan(PrefixBytes), (uint)messageBytes);
            message.Advance(PrefixBytes);
            WriteServerMessage(message, frame, dropped, frameBytes);
            return message;
        }
    }
}
