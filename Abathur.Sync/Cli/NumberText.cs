using System.Globalization;
using System.Numerics;

namespace Abathur.Sync.Cli;

/// <summary>Numbers on the command line: digits and a sign; a <see cref="double"/> may have a decimal point and an exponent. There are no
/// thousands separators: <c>0,5</c> is an error, not 5.</summary>
internal static class NumberText
{
    /// <summary>Parses a finite number.</summary>
    public static bool TryParse<T>(ReadOnlySpan<char> text, out T number)
        where T : struct, INumber<T>
    {
        var styles = NumberStyles.AllowLeadingSign;
        if (typeof(T) == typeof(double)) styles |= NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        return T.TryParse(text, styles, CultureInfo.InvariantCulture, out number) && T.IsFinite(number);
    }
}
