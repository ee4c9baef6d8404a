using System.Buffers;
using Abathur.Sync.Encodings.Wire;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Transports;

/// <summary>A frame inside a <see cref="ServerMessage"/>: tag and length in front of the very bytes that gRPC's Subscribe sends.</summary>
internal static class ServerMessageFrame
{
    private const int MaxPrefixBytes = 6;

    /// <summary>Size of the whole message for a frame of <paramref name="frameBytes"/>.</summary>
    public static int Measure(int frameBytes) => 1 + CodedOutputStream.ComputeLengthSize(frameBytes) + frameBytes;

    public static void Write(IBufferWriter<byte> output, EncodedFrame frame, in Missed missed, int frameBytes)
    {
        var prefix = output.GetSpan(MaxPrefixBytes);
        var length = 0;
        prefix[length++] = (byte)WireFormat.MakeTag(ServerMessage.FrameFieldNumber, WireFormat.WireType.LengthDelimited);
        output.Advance(length + Varint.Write(prefix[length..], (uint)frameBytes));
        frame.WriteFrame(output, missed);
    }
}
