namespace Abathur.Protobuf.ProtoJson;

/// <summary>The ranges of <c>google.protobuf.Timestamp</c> and <c>Duration</c>.</summary>
internal static class WellKnownTime
{
    public const int NanosPerSecond = 1_000_000_000;
    private const long FirstSecond = -62_135_596_800;
    private const long LastSecond = 253_402_300_799;
    private const long LongestDuration = 315_576_000_000;

    /// <summary>Whether this is a time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z.</summary>
    public static bool IsTimestamp(long seconds, long nanos) =>
        seconds is >= FirstSecond and <= LastSecond && nanos is >= 0 and < NanosPerSecond;

    /// <summary>Whether this is at most 10,000 years, with one sign.</summary>
    public static bool IsDuration(long seconds, long nanos) =>
        seconds is >= -LongestDuration and <= LongestDuration
            && nanos is > -NanosPerSecond and < NanosPerSecond
            && (seconds == 0 || nanos == 0 || seconds > 0 == nanos > 0);
}
