namespace Abathur.Sync.Frames;

/// <summary>One moment on two clocks.</summary>
/// <param name="MonotonicNs">
/// Nanoseconds of the machine's monotonic clock. Python's <c>time.perf_counter_ns()</c> reads the same clock.
/// </param>
/// <param name="UnixNs">Nanoseconds since 1970-01-01 UTC.</param>
public readonly record struct FrameStamp(long MonotonicNs, long UnixNs)
{
    /// <summary>This moment.</summary>
    public static FrameStamp Now(TimeProvider clock) =>
        new(MonotonicNow(clock), (clock.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks * TimeSpan.NanosecondsPerTick);

    /// <summary>This moment on the monotonic clock alone.</summary>
    public static long MonotonicNow(TimeProvider clock) => ToNanoseconds(clock.GetTimestamp(), clock.TimestampFrequency);

    private static long ToNanoseconds(long timestamp, long frequency) =>
        frequency == 1_000_000_000 ? timestamp : (long)((Int128)timestamp * 1_000_000_000 / frequency);
}
