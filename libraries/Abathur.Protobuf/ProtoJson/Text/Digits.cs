using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Abathur.Protobuf.ProtoJson.Text;

/// <summary>Parses decimal digits, eight at a time in one 64-bit number, without a branch that depends on their number.</summary>
internal static class Digits
{
    /// <summary>Digits that are parsed at once; further ones are parsed one by one.</summary>
    public const int Most = 8;

    /// <summary>Number of digits that a double represents exactly.</summary>
    public const int MostExact = 15;

    private const int MostLong = 18;
    private const ulong Zeros = 0x3030303030303030;
    private static readonly ulong[] Powers =
    [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
        1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
        1_000_000_000_000_000_000,
    ];

    /// <summary>Ten to a power of up to eighteen.</summary>
    public static ulong PowerOfTen(int power) => Powers[power];

    /// <summary>
    /// The value of the digits at the start of a text of at least 32 bytes; returns how many there are, or 0 for more than 18.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Read(ReadOnlySpan<byte> text, out ulong value)
    {
        var letters = BinaryPrimitives.ReadUInt64LittleEndian(text) ^ Zeros;
        // A digit is now 0 to 9. Adding 0x76 sets the top bit of every byte above 9; a carry affects only later bytes.
        var others = ((letters & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676 | letters) & 0x8080808080808080;
        if (others == 0) return ReadLong(text, out value);
        var count = BitOperations.TrailingZeroCount(others) >> 3;
        // Shift the digits to the end, with zeros before them; for count 0 the shift by 64 would have no effect.
        letters = count == 0 ? 0 : letters << (64 - (8 * count));
        letters = (letters * 10) + (letters >> 8);
        value = (
            ((letters & 0x000000FF000000FF) * 0x000F424000000064) + (((letters >> 16) & 0x000000FF000000FF) * 0x0000271000000001)) >> 32;
        return count;
    }

    private static int ReadLong(ReadOnlySpan<byte> text, out ulong value)
    {
        value = 0;
        var count = 0;
        for (; count <= MostLong; count++)
        {
            var digit = (uint)text[count] - '0';
            if (digit > 9) return count;
            value = (value * 10) + digit;
        }
        return 0;
    }
}
