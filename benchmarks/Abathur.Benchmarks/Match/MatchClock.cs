using System.Diagnostics;

namespace Abathur.Benchmarks.Match;

/// <summary>What the clock itself costs, as every sample contains it once.</summary>
/// <param name="ResolutionNs">Smallest step that two readings in a row differ by.</param>
/// <param name="ReadNs">Median of a timed section with nothing in it.</param>
internal sealed record MatchClock(double ResolutionNs, double ReadNs)
{
    /// <summary>Nanoseconds of a Stopwatch tick.</summary>
    public static double NsPerTick { get; } = 1e9 / Stopwatch.Frequency;

    /// <summary>Measures the clock.</summary>
    public static MatchClock Measure()
    {
        const int Samples = 100_001;
        var ticks = new long[Samples];
        for (var round = 0; round < 2; round++)
        {
            for (var i = 0; i < Samples; i++)
            {
                var start = Stopwatch.GetTimestamp();
                ticks[i] = Stopwatch.GetTimestamp() - start;
            }
        }
        Array.Sort(ticks);
        var step = Array.Find(ticks, each => each > 0);
        return new MatchClock(Math.Max(step, 1) * NsPerTick, ticks[Samples / 2] * NsPerTick);
    }
}
