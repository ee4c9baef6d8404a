using System.Buffers.Binary;

namespace Abathur.Sync.Tests.Sources.Proxy;

/// <summary>WebSocket frames as bytes, written by the book (RFC 6455, section 5.2).</summary>
internal static class WireFrames
{
    public const int Continuation = 0, Text = 1, Binary = 2, Reserved = 3, Close = 8, Ping = 9, Pong = 10;

    public static byte[] Frame(int opcode, byte[] payload, bool isFinal = true, uint mask = 0, int reservedBits = 0)
    {
        var output = new List<byte> { (byte)((isFinal ? 0x80 : 0) | (reservedBits << 4) | opcode) };
        var masked = mask != 0 ? 0x80 : 0;
        var length = new byte[8];
        BinaryPrimitives.WriteUInt64BigEndian(length, (ulong)payload.Length);
        if (payload.Length < 126) output.Add((byte)(masked | payload.Length));
        else if (payload.Length <= ushort.MaxValue) output.AddRange([(byte)(masked | 126), .. length[6..]]);
        else output.AddRange([(byte)(masked | 127), .. length]);
        var key = BitConverter.GetBytes(mask);
        if (mask != 0) output.AddRange(key);
        output.AddRange(payload.Select((each, i) => mask != 0 ? (byte)(each ^ key[i % 4]) : each));
        return [.. output];
    }

    /// <summary>A message in frames that end at the cuts, with a control frame before each but the first.</summary>
    public static byte[] Message(int opcode, byte[] payload, IEnumerable<int> cuts, uint mask, byte[]? between)
    {
        int[] ends = [.. cuts.Select(cut => payload.Length == 0 ? 0 : cut % payload.Length).Order(), payload.Length];
        var output = new List<byte>();
        var start = 0;
        for (var i = 0; i < ends.Length; i++)
        {
            if (i > 0 && between is not null) output.AddRange(Frame(i % 2 == 0 ? Ping : Pong, between, mask: mask));
            output.AddRange(
                Frame(i == 0 ? opcode : Continuation, payload[start..ends[i]], i == ends.Length - 1, mask + (uint)(mask == 0 ? 0 : i)));
            start = ends[i];
        }
        return [.. output];
    }
}
