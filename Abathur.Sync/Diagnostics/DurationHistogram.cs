using System.Numerics;
using Abathur.Sync.V1;

namespace Abathur.Sync.Diagnostics;

/// <summary>Durations, counted in buckets that are at most 1/16 wide: quantiles of any number of them in 8 KB. Thread-safe.</summary>
public sealed class DurationHistogram
{
    private const int SubBits = 4;
    private readonly Lock _gate = new();
    private readonly long[] _counts = new long[(64 - SubBits) << SubBits];
    private long _count;
    private double _sumNs;
    private long _maxNs;

    /// <summary>Counts a duration. Negative ones count as 0.</summary>
    public void Add(TimeSpan duration)
    {
        var ns = Math.Max(0, (long)duration.TotalNanoseconds);
        lock (_gate)
        {
            _counts[BucketOf((ulong)ns)]++;
            _count++;
            _sumNs += ns;
            _maxNs = Math.Max(_maxNs, ns);
        }
    }

    /// <summary>Mean, quantiles and maximum in milliseconds; null if there are no durations. Quantiles are the upper end of their
    /// bucket.</summary>
    public FrameBudget.Types.Share? ToShare()
    {
        lock (_gate)
        {
            if (_count == 0) return null;
            return new FrameBudget.Types.Share
            {
                Frames = (ulong)_count,
                MeanMs = _sumNs / _count / 1e6,
                P50Ms = QuantileMs(0.5),
                P99Ms = QuantileMs(0.99),
                MaxMs = _maxNs / 1e6,
            };
        }
    }

    private double QuantileMs(double share)
    {
        var rank = (long)Math.Ceiling(share * _count);
        var seen = 0L;
        for (var bucket = 0; bucket < _counts.Length; bucket++)
        {
            seen += _counts[bucket];
            if (seen >= rank) return Math.Min(UpperEndOf(bucket), _maxNs) / 1e6;
        }
        return _maxNs / 1e6;
    }

    // Below 16 ns there is one bucket per nanosecond; above, 16 buckets per doubling.
    private static int BucketOf(ulong ns)
    {
        if (ns < 1 << SubBits) return (int)ns;
        var shift = BitOperations.Log2(ns) - SubBits;
        return ((shift + 1) << SubBits) + (int)((ns >> shift) & ((1 << SubBits) - 1));
    }

    private static double UpperEndOf(int bucket)
    {
        if (bucket < 1 << SubBits) return bucket;
        var shift = (bucket >> SubBits) - 1;
        return Math.ScaleB((1 << SubBits) + (bucket & ((1 << SubBits) - 1)) + 1, shift);
    }
}
