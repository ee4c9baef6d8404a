using System.Diagnostics.Metrics;
using Abathur.Sync.Diagnostics.Metrics;

namespace Abathur.Sync.Tests.Diagnostics.Metrics;

/// <summary>The text that scrapers read, to the byte.</summary>
public sealed class PrometheusTextTests : IDisposable
{
    private readonly string _prefix = $"test{Guid.NewGuid():N}";
    private readonly Meter _meter = new(DaemonMeter.Name);
    private readonly PrometheusText _text = new();

    public void Dispose()
    {
        _text.Dispose();
        _meter.Dispose();
    }

    [Fact]
    public void Write_Counter_HasItsSumByAttributesAndTheSuffixes()
    {
        var counter = _meter.CreateCounter<long>($"{_prefix}.io", "By", "Bytes\nsent \\ received.");
        counter.Add(3, new KeyValuePair<string, object?>("abathur.kind", "a\"b\\c\nd"));
        counter.Add(4, new KeyValuePair<string, object?>("abathur.kind", "a\"b\\c\nd"));
        counter.Add(1);
        Assert.Equal(
            $$"""
            # HELP {{_prefix}}_io_bytes_total Bytes\nsent \\ received.
            # TYPE {{_prefix}}_io_bytes_total counter
            {{_prefix}}_io_bytes_total{abathur_kind="a\"b\\c\nd"} 7
            {{_prefix}}_io_bytes_total 1

            """,
            Written());
    }

    [Fact]
    public void Write_ObservableCounterAndUpDownCounter_HaveTheNewestValue()
    {
        var value = 5L;
        _meter.CreateObservableCounter($"{_prefix}.frames", () => value, "{frame}");
        _meter.CreateObservableUpDownCounter($"{_prefix}.readers", () => value);
        Written();
        value = 9;
        Assert.Equal(
            $"""
            # TYPE {_prefix}_frames_total counter
            {_prefix}_frames_total 9
            # TYPE {_prefix}_readers gauge
            {_prefix}_readers 9

            """,
            Written());
    }

    [Fact]
    public void Write_Gauge_HasTheLastValueAsScrapersReadNumbers()
    {
        var gauge = _meter.CreateGauge<double>($"{_prefix}.age", "s");
        foreach (var (value, expected) in new[]
        {
            (0.1, "0.1"), (-2.0, "-2"), (1e300, "1E+300"), (double.NaN, "NaN"), (double.PositiveInfinity, "+Inf"),
            (double.NegativeInfinity, "-Inf"),
        })
        {
            gauge.Record(value);
            Assert.Equal($"# TYPE {_prefix}_age_seconds gauge\n{_prefix}_age_seconds {expected}\n", Written());
        }
    }

    [Fact]
    public void Write_Histogram_CountsInAscendingBuckets()
    {
        var advice = new InstrumentAdvice<double> { HistogramBucketBoundaries = [0.1, 1] };
        var histogram = _meter.CreateHistogram($"{_prefix}.duration", "s", "How long.", [], advice);
        foreach (var value in new[] { 0.05, 0.1, 0.5, 7 }) histogram.Record(value);
        Assert.Equal(
            $$"""
            # HELP {{_prefix}}_duration_seconds How long.
            # TYPE {{_prefix}}_duration_seconds histogram
            {{_prefix}}_duration_seconds_bucket{le="0.1"} 2
            {{_prefix}}_duration_seconds_bucket{le="1"} 3
            {{_prefix}}_duration_seconds_bucket{le="+Inf"} 4
            {{_prefix}}_duration_seconds_sum 7.65
            {{_prefix}}_duration_seconds_count 4

            """,
            Written());
    }

    [Fact]
    public void Write_MoreAttributesThanTheLimit_KeepsTheFirst()
    {
        var counter = _meter.CreateCounter<int>($"{_prefix}.many");
        for (var i = 0; i < 600; i++) counter.Add(1, new KeyValuePair<string, object?>("i", i));
        Assert.Equal(1 + 500, Written().Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
    }

    [Fact]
    public void Write_OtherMeters_AreLeftOut()
    {
        using var other = new Meter("other");
        other.CreateCounter<int>($"{_prefix}.other").Add(1);
        Assert.Empty(Written());
    }

    /// <summary>What is written of this test's instruments: others measure at the same time.</summary>
    private string Written() => string.Concat(
        _text.Write().Split('\n').Where(line => line.Contains(_prefix, StringComparison.Ordinal)).Select(line => line + "\n"));
}
