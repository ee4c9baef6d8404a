using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports.Framing;

/// <summary>Writes a frame as a line of ProtoJSON around a payload that is already JSON.</summary>
internal static class JsonFraming
{
    private const int MaxEnvelopeBytes = 1024;

    /// <summary>The line that <see cref="WriteLine"/> writes.</summary>
    public static IFrameFraming Line { get; } = new LineFraming();

    /// <summary>Writes <c>{"frame":{...}}</c> and a line feed, the payload (which must be JSON) inline as <c>observation</c>.</summary>
    public static void WriteLine(IBufferWriter<byte> output, EncodedFrame frame, in DroppedFrames dropped)
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
        output.Write(frame.Format.Encoding == Encoding.Json ? "json"u8 : "proto"u8);
        if (frame.EncodedMonotonicNs != 0)
        {
            output.Write("\",\"encodedMonotonicNs\":\""u8);
            WriteNumber(output, frame.EncodedMonotonicNs);
        }
        output.Write("\""u8);
        if (dropped.Count > 0)
        {
            output.Write(",\"dropped\":\""u8);
            WriteNumber(output, (long)dropped.Count);
            output.Write("\",\"droppedFirstGameLoop\":"u8);
            WriteNumber(output, dropped.FirstGameLoop);
            output.Write(",\"droppedLastGameLoop\":"u8);
            WriteNumber(output, dropped.LastGameLoop);
        }
        if (dropped.Events is { } events)
        {
            if (!events.Json.IsEmpty)
            {
                output.Write(",\"skippedEvents\":"u8);
                output.Write(events.Json.Span);
            }
            if (events.IsIncomplete) output.Write(",\"skippedEventsIncomplete\":true"u8);
        }
        output.Write(",\"observation\":"u8);
        output.Write(frame.Payload.Span);
        output.Write("}}\n"u8);
    }

    private static void WriteNumber(IBufferWriter<byte> output, long value)
    {
        var span = output.GetSpan(20);
        value.TryFormat(span, out var written, provider: CultureInfo.InvariantCulture);
        output.Advance(written);
    }

    private sealed class LineFraming : IFrameFraming
    {
        public SharedBuffer Write(EncodedFrame frame, in DroppedFrames dropped)
        {
            var line = SharedBuffer.Rent(frame.Payload.Length + MaxEnvelopeBytes + (dropped.Events?.Json.Length ?? 0));
            WriteLine(line, frame, dropped);
            return line;
        }
    }
}
