using System.Globalization;

namespace Abathur.Grpc;

/// <summary>The <c>grpc-timeout</c> header: 1 to 8 digits and a unit (H, M, S, m, u, n).</summary>
internal static class GrpcTimeout
{
    private const int MaxDigits = 8;

    /// <summary>Reads the header. False if it is malformed.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out TimeSpan timeout)
    {
        timeout = default;
        if (text.Length is < 2 or > MaxDigits + 1) return false;
        if (!uint.TryParse(text[..^1], NumberStyles.None, CultureInfo.InvariantCulture, out var amount)) return false;
        long? ticksPerUnit = text[^1] switch
        {
            'H' => TimeSpan.TicksPerHour,
            'M' => TimeSpan.TicksPerMinute,
            'S' => TimeSpan.TicksPerSecond,
            'm' => TimeSpan.TicksPerMillisecond,
            'u' => TimeSpan.TicksPerMicrosecond,
            'n' => 0,
            _ => null,
        };
        if (ticksPerUnit is not { } ticks) return false;
        timeout = TimeSpan.FromTicks(ticks == 0 ? amount / TimeSpan.NanosecondsPerTick : amount * ticks);
        return true;
    }
}
