using System.Buffers.Binary;
using System.Text;

namespace Abathur.Fuzz.Targets;

/// <summary>HTTP/2 by hand (RFC 9113, 7541): frames, and header blocks of literals that no table knows.</summary>
internal static class Http2Frames
{
    public const int HeadBytes = 9;
    public const byte Data =
        0, Headers = 1, Priority = 2, Reset = 3, Settings = 4, Ping = 6, GoAway = 7, WindowUpdate = 8, Continuation = 9;
    public const byte EndStream = 1, Ack = 1, EndHeaders = 4;

    /// <summary>What a client begins with.</summary>
    public static ReadOnlySpan<byte> Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    /// <summary>A frame: 3 bytes length, type, flags, 4 bytes stream, payload; all big-endian.</summary>
    public static byte[] Frame(byte type, byte flags, uint stream, ReadOnlySpan<byte> payload)
    {
        var frame = new byte[HeadBytes + payload.Length];
        SetLength(frame, payload.Length);
        (frame[3], frame[4]) = (type, flags);
        BinaryPrimitives.WriteUInt32BigEndian(frame.AsSpan(5), stream);
        payload.CopyTo(frame.AsSpan(HeadBytes));
        return frame;
    }

    /// <summary>Puts another length into a frame's head.</summary>
    public static void SetLength(Span<byte> frame, int length) =>
        (frame[0], frame[1], frame[2]) = ((byte)(length >> 16), (byte)(length >> 8), (byte)length);

    /// <summary>Length of the payload, in bytes, as the head says.</summary>
    public static int Length(ReadOnlySpan<byte> frame) => (frame[0] << 16) | (frame[1] << 8) | frame[2];

    /// <summary>The stream, without the bit that is reserved.</summary>
    public static uint Stream(ReadOnlySpan<byte> frame) => BinaryPrimitives.ReadUInt32BigEndian(frame[5..]) & 0x7FFF_FFFF;

    /// <summary>A header block of a gRPC call, with more headers behind it.</summary>
    public static byte[] Call(string path, params (string Name, string Value)[] more)
    {
        // Of the static table: 3 is POST, 6 is http; the rest are literals, without Huffman's code and kept in no table.
        var block = new List<byte> { 0x83, 0x86 };
        (string, string)[] all =
        [
            (":path", path),
            (":authority", "127.0.0.1"),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
            .. more,
        ];
        foreach (var (name, value) in all)
        {
            block.Add(0);
            Text(block, name);
            Text(block, value);
        }
        return [.. block];
    }

    /// <summary>Whether bytes after the preface are complete frames without GOAWAY: then a ping after them is answered, or the connection
    /// ends.</summary>
    public static bool AreWhole(ReadOnlySpan<byte> frames)
    {
        while (frames.Length >= HeadBytes)
        {
            var end = HeadBytes + Length(frames);
            if (frames[3] == GoAway || end > frames.Length) return false;
            frames = frames[end..];
        }
        return frames.IsEmpty;
    }

    private static void Text(List<byte> block, string text)
    {
        // A length of 7 bits, and what is more of it in groups of 7.
        var bytes = Encoding.ASCII.GetBytes(text);
        if (bytes.Length < 127)
        {
            block.Add((byte)bytes.Length);
        }
        else
        {
            block.Add(127);
            var rest = bytes.Length - 127;
            for (; rest >= 128; rest >>= 7) block.Add((byte)(rest | 128));
            block.Add((byte)rest);
        }
        block.AddRange(bytes);
    }
}
