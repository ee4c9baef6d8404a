using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Abathur.Protobuf.ProtoJson.Text;

/// <summary>Runs of decimal digits, eight at a time in one 64-bit number, so that no branch depends on how many there are.</summary>
internal static class Digits
{
    /// <summary>Digits that are read at once; more go digit by digit.</summary>
    public const int Most = 8;

    /// <summary>Digits that are exact as a double, however they are read.</summary>
    public const int MostExact = 15;

    private const int MostLong = 18;
    private const ulong Zeros = 0x3030303030303030;
    private static readonly ulong[] Powers =
    [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
        1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
    ];

    /// <summary>Ten to a power of up to eighteen.</summary>
    public static ulong PowerOfTen(int power) => Powers[power];

    /// <summary>
    /// The value of the digits at the start of a text of at least 32 bytes; returns how many there are. More than 18 count as none.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Read(ReadOnlySpan<byte> text, out ulong value)
    {
        var letters = BinaryPrimitives.ReadUInt64LittleEndian(text) ^ Zeros;
        // A digit is now 0 to 9. Adding 0x76 takes everything above into the top bit of its byte; a carry touches later bytes only.
        var others = ((letters & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676 | letters) & 0x8080808080808080;
        if (others == 0) return ReadLong(text, out value);
        var count = BitOperations.TrailingZeroCount(others) >> 3;
        // The digits move to the end, zeros before them; count 0 would be a shift by 64, which is none.
        letters = count == 0 ? 0 : letters << (64 - (8 * count));
        letters = (letters * 10) + (letters >> 8);
        value = (((letters & 0x000000FF000000FF) * 0x000F424000000064) + (((letters >> 16) & 0x000000FF000000FF) * 0x0000271000000001)) >> 32;
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
