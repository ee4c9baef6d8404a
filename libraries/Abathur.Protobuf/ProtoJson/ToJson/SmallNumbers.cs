using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Abathur.Protobuf.ProtoJson.ToJson;

/// <summary>Texts of the integers below 1000, to write them without a branch on the number of digits.</summary>
internal static class SmallNumbers
{
    public const int Count = 1000;

    private const int LengthShift = 24;

    // Three digits, and their number in the last byte.
    private static readonly uint[] Texts = [.. Enumerable.Range(0, Count).Select(Text)];

    /// <summary>Writes a number below <see cref="Count"/>; <paramref name="output"/> must have four bytes, of which those after the text
    /// are undefined.</summary>
    /// <returns>Bytes of the text.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(uint value, Span<byte> output)
    {
        var text = Texts[value];
        BinaryPrimitives.WriteUInt32LittleEndian(output, text);
        return (int)(text >> LengthShift);
    }

    private static uint Text(int value)
    {
        var digits = value.ToString(CultureInfo.InvariantCulture);
        var text = (uint)digits.Length << LengthShift;
        for (var i = 0; i < digits.Length; i++) text |= (uint)digits[i] << (8 * i);
        return text;
    }
}
