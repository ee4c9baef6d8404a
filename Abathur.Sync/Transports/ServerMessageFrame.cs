using System.Buffers;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Transports;

/// <summary>A frame inside a <c>ServerMessage</c>: tag and length in front of the very bytes that gRPC's Subscribe sends.</summary>
internal static class ServerMessageFrame
{
    /// <summary>Size of the whole message for a frame of <paramref name="frameBytes"/>.</summary>
    public static int Measure(int frameBytes) => FrameEnvelope.MeasureServerMessage(frameBytes);

    public static void Write(IBufferWriter<byte> output, EncodedFrame frame, in DroppedFrames missed, int frameBytes)
    {
        FrameEnvelope.WriteServerMessagePrefix(output, frameBytes);
        frame.WriteFrame(output, missed);
    }
}
