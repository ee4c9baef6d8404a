using System.Globalization;
using System.Numerics;

namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>The values of JSON numbers, with and without quotes.</summary>
internal static class JsonNumber
{
    // Up to this limit a double represents every integer, and every power of ten.
    private const ulong MaxExactInteger = 1UL << 53;
    private const int MaxExactPower = 22;
    private const NumberStyles Quoted = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;

    private static readonly double[] Powers =
    [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ];

    /// <summary>
    /// The double nearest to a text in JSON's grammar. If both digits and power of ten are exact as doubles, one multiplication or
    /// division rounds correctly (William Clinger, "How to read floating point numbers accurately", 1990); otherwise the framework parses
    /// it.
    /// </summary>
    public static double ToDouble(ReadOnlySpan<byte> text)
    {
        var position = 0;
        var isNegative = text[0] == '-';
        if (isNegative) position++;
        ulong digits = 0;
        var exponent = 0;
        var seenPoint = false;
        for (; position < text.Length; position++)
        {
            var digit = (uint)text[position] - '0';
            if (digit <= 9)
            {
                digits = (digits * 10) + digit;
                if (seenPoint) exponent--;
            }
            else if (text[position] == '.')
            {
                seenPoint = true;
            }
            else
            {
                break;
            }
        }
        // Nineteen digits cannot overflow; an exponent is rare.
        if (position < text.Length || text.Length > 19 || digits > MaxExactInteger || exponent < -MaxExactPower)
        {
            return double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
        }
        var value = Scale(digits, -exponent);
        return isNegative ? -value : value;
    }

    /// <summary>Digits with <paramref name="places"/> of them after the point. Exact for up to 2^53 and 22 places.</summary>
    public static double Scale(ulong digits, int places) => digits / Powers[places];

    /// <summary>
    /// The value of a small integer without point or exponent; false for everything else, which needs the general path.
    /// </summary>
    public static bool TryInteger(ReadOnlySpan<byte> text, out long value)
    {
        value = 0;
        var isNegative = text.Length > 0 && text[0] == '-';
        var digits = isNegative ? text[1..] : text;
        if (digits.Length is 0 or > 15 || (digits[0] == '0' && digits.Length > 1)) return false;
        foreach (var each in digits)
        {
            var digit = (uint)each - '0';
            if (digit > 9) return false;
            value = (value * 10) + digit;
        }
        if (isNegative) value = -value;
        return true;
    }

    /// <summary>Parses an integer in a string: digits, also with a point or an exponent if the value is whole. Returns null, or what is
    /// wrong.</summary>
    public static string? ParseQuoted<T>(ReadOnlySpan<byte> text, out T value)
        where T : struct, INumber<T>
    {
        value = default;
        var digits = text.StartsWith("-"u8) ? text[1..] : text;
        if (text.StartsWith("+"u8)
            || (digits.Length > 1 && digits[0] == '0' && char.IsAsciiDigit((char)digits[1]))
            || text.IndexOf((byte)0) >= 0)
            return "is not a number";
        try
        {
            value = T.Parse(text, Quoted, CultureInfo.InvariantCulture);
            return null;
        }
        catch (FormatException)
        {
            return "is not a number";
        }
        catch (OverflowException)
        {
            return "is out of range";
        }
    }
}
