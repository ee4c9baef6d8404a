using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Writes complete binary messages of a client: one frame, masked (RFC 6455, section 5.3).</summary>
internal static class WebSocketFrame
{
    public static byte[] ToBinaryMessage(ReadOnlySpan<byte> payload)
    {
        const byte FinalBinary = 0x82;
        const byte Masked = 0x80;
        var lengthBytes = payload.Length switch { < 126 => 0, <= ushort.MaxValue => 2, _ => 8 };
        var head = 2 + lengthBytes + sizeof(uint);
        var frame = new byte[head + payload.Length];
        frame[0] = FinalBinary;
        frame[1] = (byte)(Masked | lengthBytes switch { 0 => payload.Length, 2 => 126, _ => 127 });
        if (lengthBytes == 2) BinaryPrimitives.WriteUInt16BigEndian(frame.AsSpan(2), (ushort)payload.Length);
        if (lengthBytes == 8) BinaryPrimitives.WriteUInt64BigEndian(frame.AsSpan(2), (ulong)payload.Length);
        var key = frame.AsSpan(head - sizeof(uint), sizeof(uint));
        RandomNumberGenerator.Fill(key);
        payload.CopyTo(frame.AsSpan(head));
        WebSocketFrameParser.Unmask(frame.AsSpan(head), BitConverter.ToUInt32(key));
        return frame;
    }
}
