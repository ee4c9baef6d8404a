using System.Diagnostics.Metrics;

namespace Abathur.Sync.Diagnostics.Metrics;

/// <summary>One instrument with one set of attributes: a sum, a last value, or a histogram. Guarded by its owner.</summary>
/// <param name="tags">The attributes.</param>
/// <param name="boundaries">Upper ends of a histogram's buckets; empty: it is not a histogram.</param>
internal sealed class MetricSeries(KeyValuePair<string, object?>[] tags, IReadOnlyList<double> boundaries)
{
    private readonly long[] _buckets = new long[boundaries.Count];

    public KeyValuePair<string, object?>[] Tags => tags;

    /// <summary>Sum, or last value.</summary>
    public double Value { get; private set; }

    /// <summary>Measurements of a histogram.</summary>
    public long Count { get; private set; }

    /// <summary>Measurements of a histogram up to each boundary.</summary>
    public IReadOnlyList<long> Buckets => _buckets;

    /// <summary>Whether these are its attributes, in the same order.</summary>
    public bool Has(ReadOnlySpan<KeyValuePair<string, object?>> others)
    {
        if (others.Length != tags.Length) return false;
        for (var i = 0; i < tags.Length; i++)
        {
            if (tags[i].Key != others[i].Key || !Equals(tags[i].Value, others[i].Value)) return false;
        }
        return true;
    }

    public void Set(double value) => Value = value;

    public void Add(double value)
    {
        Value += value;
        Count++;
        for (var i = 0; i < _buckets.Length; i++)
        {
            if (value <= boundaries[i]) _buckets[i]++;
        }
    }

    /// <summary>The boundaries that an instrument advises, or the defaults of OpenTelemetry; empty if it is not a histogram.</summary>
    public static IReadOnlyList<double> BoundariesOf(Instrument instrument) => instrument switch
    {
        Histogram<double> histogram => histogram.Advice?.HistogramBucketBoundaries ?? Default,
        Histogram<long> histogram =>
            histogram.Advice?.HistogramBucketBoundaries is { } boundaries ? [.. boundaries.Select(each => (double)each)] : Default,
        Histogram<int> histogram =>
            histogram.Advice?.HistogramBucketBoundaries is { } boundaries ? [.. boundaries.Select(each => (double)each)] : Default,
        _ => [],
    };

    private static IReadOnlyList<double> Default { get; } = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000];
}
