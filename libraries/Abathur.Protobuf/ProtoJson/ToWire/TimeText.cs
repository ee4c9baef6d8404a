namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>Timestamps (RFC 3339) and durations ("-1.5s") as ProtoJSON writes them.</summary>
internal static class TimeText
{
    private const int MaxFractionDigits = 9;
    private const int MaxDurationDigits = 12;
    private const int MaxOffsetMinutes = 18 * 60;

    /// <summary>Reads <c>yyyy-MM-ddTHH:mm:ss</c>, a fraction of up to nine digits, and <c>Z</c> or an offset such as
    /// <c>+01:30</c>.</summary>
    public static bool TryTimestamp(ReadOnlySpan<byte> text, out long seconds, out int nanos)
    {
        (seconds, nanos) = (0, 0);
        if (!Matches(text, "dddd-dd-ddTdd:dd:dd"u8)) return false;
        var (year, month, day) = (Number(text[..4]), Number(text.Slice(5, 2)), Number(text.Slice(8, 2)));
        var (hour, minute, second) = (Number(text.Slice(11, 2)), Number(text.Slice(14, 2)), Number(text.Slice(17, 2)));
        if (year == 0
            || month is 0 or > 12
            || day == 0
            || day > DateTime.DaysInMonth(year, month)
            || hour > 23
            || minute > 59
            || second > 59)
            return false;
        text = text[19..];
        if (!TryFraction(ref text, out nanos) || !TryOffset(text, out var offsetMinutes)) return false;
        seconds = (new DateTime(
            year, month, day, hour, minute, second, DateTimeKind.Utc).Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerSecond;
        seconds -= offsetMinutes * 60L;
        return WellKnownTime.IsTimestamp(seconds, nanos);
    }

    /// <summary>Reads a sign, up to twelve digits, a fraction of up to nine, and <c>s</c>.</summary>
    public static bool TryDuration(ReadOnlySpan<byte> text, out long seconds, out int nanos)
    {
        (seconds, nanos) = (0, 0);
        var isNegative = text.StartsWith("-"u8);
        if (isNegative) text = text[1..];
        var digits = 0;
        while (digits < text.Length && char.IsAsciiDigit((char)text[digits])) digits++;
        if (digits is 0 or > MaxDurationDigits) return false;
        foreach (var digit in text[..digits]) seconds = (seconds * 10) + digit - '0';
        text = text[digits..];
        if (!TryFraction(ref text, out nanos) || !text.SequenceEqual("s"u8)) return false;
        if (isNegative) (seconds, nanos) = (-seconds, -nanos);
        return WellKnownTime.IsDuration(seconds, nanos);
    }

    private static bool TryFraction(ref ReadOnlySpan<byte> text, out int nanos)
    {
        nanos = 0;
        if (!text.StartsWith("."u8)) return true;
        text = text[1..];
        var digits = 0;
        while (digits < text.Length && char.IsAsciiDigit((char)text[digits])) digits++;
        if (digits is 0 or > MaxFractionDigits) return false;
        nanos = Number(text[..digits]);
        for (var i = digits; i < MaxFractionDigits; i++) nanos *= 10;
        text = text[digits..];
        return true;
    }

    // -00:00 means that the local time is unknown, which a timestamp cannot express.
    private static bool TryOffset(ReadOnlySpan<byte> text, out int minutes)
    {
        minutes = 0;
        if (text.SequenceEqual("Z"u8)) return true;
        if (!Matches(text, "+dd:dd"u8) && !Matches(text, "-dd:dd"u8)) return false;
        if (text.Length != 6 || text[1] > '1' || text[4] > '5') return false;
        minutes = (Number(text.Slice(1, 2)) * 60) + Number(text.Slice(4, 2));
        if (minutes > MaxOffsetMinutes || (minutes == 0 && text[0] == '-')) return false;
        if (text[0] == '-') minutes = -minutes;
        return true;
    }

    // d in the pattern: a digit.
    private static bool Matches(ReadOnlySpan<byte> text, ReadOnlySpan<byte> pattern)
    {
        if (text.Length < pattern.Length) return false;
        for (var i = 0; i < pattern.Length; i++)
        {
            if (pattern[i] == 'd' ? !char.IsAsciiDigit((char)text[i]) : text[i] != pattern[i]) return false;
        }
        return true;
    }

    private static int Number(ReadOnlySpan<byte> digits)
    {
        var value = 0;
        foreach (var digit in digits) value = (value * 10) + digit - '0';
        return value;
    }
}
