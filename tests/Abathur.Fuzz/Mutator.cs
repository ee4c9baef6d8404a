using System.Buffers.Binary;

namespace Abathur.Fuzz;

/// <summary>Changes inputs: bits, bytes, numbers, blocks, and what a target's format is made of.</summary>
internal sealed class Mutator(Random random, IReadOnlyList<byte[]> tokens, int maxBytes)
{
    private const int MaxSteps = 8;
    private const int MaxBlock = 64;
    private static readonly long[] Numbers =
    [
        0, 1, -1, 2, 127, 128, 255, 256, 32767, 32768, 65535, 65536, int.MaxValue, int.MinValue, uint.MaxValue, long.MaxValue,
        long.MinValue,
        1 << 20, (1 << 20) + 1, 1 << 29, 100_000_000,
    ];

    /// <summary>A few changes to one input, some of them with parts of another.</summary>
    public byte[] Mutate(byte[] input, byte[] other)
    {
        var bytes = new List<byte>(input);
        for (var steps = 1 + random.Next(1 << random.Next(4)); steps > 0; steps--) Step(bytes, other);
        if (bytes.Count > maxBytes) bytes.RemoveRange(maxBytes, bytes.Count - maxBytes);
        return [.. bytes];
    }

    private void Step(List<byte> bytes, byte[] other)
    {
        if (bytes.Count == 0)
        {
            bytes.Add((byte)random.Next(256));
            return;
        }
        var at = random.Next(bytes.Count);
        switch (random.Next(12))
        {
            case 0: bytes[at] ^= (byte)(1 << random.Next(8)); break;
            case 1: bytes[at] = (byte)random.Next(256); break;
            case 2: bytes[at] = (byte)(bytes[at] + random.Next(-3, 4)); break;
            case 3: PutNumber(bytes, at); break;
            case 4: bytes.RemoveRange(at, random.Next(1, Math.Min(MaxBlock, bytes.Count - at) + 1)); break;
            case 5: bytes.InsertRange(at, bytes.GetRange(at, random.Next(1, Math.Min(MaxBlock, bytes.Count - at) + 1))); break;
            case 6: bytes.Insert(at, (byte)random.Next(256)); break;
            case 7: bytes.RemoveRange(at, bytes.Count - at); break;
            case 8 when tokens.Count > 0: bytes.InsertRange(at, tokens[random.Next(tokens.Count)]); break;
            case 9 when tokens.Count > 0: Overwrite(bytes, at, tokens[random.Next(tokens.Count)]); break;
            case 10 when other.Length > 0: Splice(bytes, at, other); break;
            default: PutVarint(bytes, at); break;
        }
    }

    private void PutNumber(List<byte> bytes, int at)
    {
        Span<byte> number = stackalloc byte[8];
        var value = Numbers[random.Next(Numbers.Length)];
        if (random.Next(4) == 0) BinaryPrimitives.WriteInt64BigEndian(number, value);
        else BinaryPrimitives.WriteInt64LittleEndian(number, value);
        Overwrite(bytes, at, number[..(1 << random.Next(4))]);
    }

    private void PutVarint(List<byte> bytes, int at)
    {
        var value = (ulong)Numbers[random.Next(Numbers.Length)];
        bytes.RemoveAt(at);
        for (; value >= 0x80; value >>= 7) bytes.Insert(at++, (byte)(value | 0x80));
        bytes.Insert(at, (byte)value);
    }

    private void Splice(List<byte> bytes, int at, byte[] other)
    {
        var start = random.Next(other.Length);
        var part = other.AsSpan(start, random.Next(1, other.Length - start + 1));
        if (random.Next(2) == 0) bytes.RemoveRange(at, bytes.Count - at);
        bytes.InsertRange(Math.Min(at, bytes.Count), part.ToArray());
    }

    private static void Overwrite(List<byte> bytes, int at, ReadOnlySpan<byte> with)
    {
        for (var i = 0; i < with.Length && at + i < bytes.Count; i++) bytes[at + i] = with[i];
    }
}
