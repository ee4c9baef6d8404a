using System.Globalization;

namespace Abathur.Sync.Cli;

/// <summary>Times on the command line: a number of seconds, or a number and <c>s</c>, <c>m</c>, <c>h</c> or <c>d</c>.</summary>
internal static class TimeText
{
    // No option takes more. TimeSpan ends at some 10 million days.
    private const double MaxSeconds = 1e9;

    /// <summary>The time, 0 or more; null for other texts.</summary>
    public static TimeSpan? Parse(string text)
    {
        var unit = text.Length == 0 ? 0 : text[^1] switch
        {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => 0,
        };
        var digits = unit == 0 ? text : text[..^1];
        if (!double.TryParse(digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number)) return null;
        var seconds = number * Math.Max(unit, 1);
        return seconds <= MaxSeconds ? TimeSpan.FromSeconds(seconds) : null;
    }
}
