using System.Buffers.Text;
using System.Numerics;

namespace Abathur.Protobuf.ProtoJson.Text;

/// <summary>
/// The shortest decimal that is parsed as the same float, in the form of <c>float.ToString("r")</c>: plain from 1e-4 to
/// below 1e9, else with an exponent.
/// </summary>
/// <remarks>
/// Schubfach: Raffaello Giulietti, "The Schubfach way to render doubles" (2020). The value is scaled by a power of ten from a table so that
/// the interval of decimals that round to it contains one or a few integers; integer comparisons select the right one.
/// </remarks>
internal static class ShortestFloat
{
    private const int FractionBits = 23;
    private const int ExponentBias = 150;
    private const int MinPower = -31;
    private const int MaxPower = 45;

    // Digits before the point up to which no exponent is used: as many as a float may need.
    private const int PlainDigits = 9;
    private const int PlainZeros = 4;
    private static readonly ulong[] Powers = MakePowers();

    /// <summary>Writes a finite value into at least 16 bytes and returns the number of bytes.</summary>
    public static int Write(float value, Span<byte> output)
    {
        var bits = BitConverter.SingleToUInt32Bits(value);
        var position = 0;
        if (bits >> 31 != 0) output[position++] = (byte)'-';
        var magnitude = bits & 0x7FFFFFFF;
        if (magnitude == 0)
        {
            output[position++] = (byte)'0';
            return position;
        }
        var (digits, exponent) = ToDecimal(magnitude);
        while (digits % 10 == 0)
        {
            digits /= 10;
            exponent++;
        }
        return position + Format(digits, exponent, output[position..]);
    }

    /// <summary>The shortest digits * 10^exponent that rounds to this positive value.</summary>
    private static (uint Digits, int Exponent) ToDecimal(uint bits)
    {
        var fraction = bits & ((1u << FractionBits) - 1);
        var biased = (int)(bits >> FractionBits);
        var significand = biased == 0 ? fraction : fraction | (1u << FractionBits);
        var binary = Math.Max(biased, 1) - ExponentBias;
        if (binary is <= 0 and > -24 && (significand & ((1u << -binary) - 1)) == 0) return (significand >> -binary, 0);

        // Four times the value and the bounds of the interval that rounds to it; below a power of two the lower neighbour is nearer.
        var isEven = (significand & 1) == 0;
        var nearBelow = fraction == 0 && biased > 1;
        var lower = (4 * significand) - 2 + (nearBelow ? 1u : 0);
        var middle = 4 * significand;
        var upper = middle + 2;

        // 2^22 * log10(2), and the same with 3/4 in it; 2^19 * log2(10).
        var power = ((binary * 1262611) - (nearBelow ? 524031 : 0)) >> 22;
        var shift = binary + ((-power * 1741647) >> 19) + 1;
        var scale = Powers[-power - MinPower];
        var low = Scale(scale, lower << shift) + (isEven ? 0u : 1u);
        var mid = Scale(scale, middle << shift);
        var high = Scale(scale, upper << shift) - (isEven ? 0u : 1u);

        var integer = mid / 4;
        if (integer >= 10)
        {
            var tens = integer / 10;
            var downFits = low <= 40 * tens;
            var upFits = (40 * tens) + 40 <= high;
            if (downFits != upFits) return (tens + (upFits ? 1u : 0), power + 1);
        }
        var floorFits = low <= 4 * integer;
        var ceilingFits = (4 * integer) + 4 <= high;
        if (floorFits != ceilingFits) return (integer + (ceilingFits ? 1u : 0), power);
        var half = (4 * integer) + 2;
        var roundUp = mid > half || (mid == half && (integer & 1) != 0);
        return (integer + (roundUp ? 1u : 0), power);
    }

    // The upper bits of the product; the last bit is sticky: set if any lower bit was set.
    private static uint Scale(ulong power, uint value)
    {
        var high = Math.BigMul(power, value, out var low);
        return (uint)high | ((low >> 32) > 1 ? 1u : 0);
    }

    private static int Format(uint digits, int exponent, Span<byte> output)
    {
        Span<byte> text = stackalloc byte[10];
        Utf8Formatter.TryFormat(digits, text, out var count);
        text = text[..count];
        var point = count + exponent;
        if (point > PlainDigits || point <= -PlainZeros) return WithExponent(text, point - 1, output);
        if (point <= 0)
        {
            output[0] = (byte)'0';
            output[1] = (byte)'.';
            output.Slice(2, -point).Fill((byte)'0');
            text.CopyTo(output[(2 - point)..]);
            return 2 - point + count;
        }
        if (point >= count)
        {
            text.CopyTo(output);
            output[count..point].Fill((byte)'0');
            return point;
        }
        text[..point].CopyTo(output);
        output[point] = (byte)'.';
        text[point..].CopyTo(output[(point + 1)..]);
        return count + 1;
    }

    private static int WithExponent(ReadOnlySpan<byte> text, int exponent, Span<byte> output)
    {
        var position = 0;
        output[position++] = text[0];
        if (text.Length > 1)
        {
            output[position++] = (byte)'.';
            text[1..].CopyTo(output[position..]);
            position += text.Length - 1;
        }
        output[position++] = (byte)'e';
        output[position++] = exponent < 0 ? (byte)'-' : (byte)'+';
        exponent = Math.Abs(exponent);
        output[position++] = (byte)('0' + (exponent / 10));
        output[position++] = (byte)('0' + (exponent % 10));
        return position;
    }

    // The upper 64 bits of each power of ten, rounded up.
    private static ulong[] MakePowers()
    {
        var powers = new ulong[MaxPower - MinPower + 1];
        for (var power = MinPower; power <= MaxPower; power++)
        {
            var ten = BigInteger.Pow(10, Math.Abs(power));
            var scaled = power >= 0 ? ten << 128 : (BigInteger.One << 384) / ten;
            powers[power - MinPower] = (ulong)(scaled >> (int)(scaled.GetBitLength() - 64)) + 1;
        }
        return powers;
    }
}
