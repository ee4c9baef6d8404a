using System.Buffers.Binary;

namespace Abathur.Grpc.Tests;

/// <summary>gRPC's framing by hand: a flag, four bytes big-endian length, the message.</summary>
internal static class GrpcFrames
{
    public static byte[] Frame(ReadOnlySpan<byte> message, byte flag = 0)
    {
        var frame = new byte[5 + message.Length];
        frame[0] = flag;
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(1), message.Length);
        message.CopyTo(frame.AsSpan(5));
        return frame;
    }

    public static List<(byte Flag, byte[] Message)> Split(ReadOnlySpan<byte> body)
    {
        var frames = new List<(byte, byte[])>();
        while (!body.IsEmpty)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(body[1..]);
            frames.Add((body[0], body.Slice(5, length).ToArray()));
            body = body[(5 + length)..];
        }
        return frames;
    }
}
