using System.Diagnostics.Metrics;
using System.Globalization;
using System.Text;

namespace Abathur.Sync.Diagnostics.Metrics;

/// <summary>
/// The meters of this process in the text format of Prometheus, version 0.0.4. Names are converted as OpenTelemetry specifies: dots to
/// underscores, the unit as a suffix, <c>_total</c> for counters.
/// </summary>
internal sealed class PrometheusText : IDisposable
{
    /// <summary>Content type of the answer.</summary>
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    private const int MaxSeriesOfInstrument = 500;
    private static readonly string[] Meters = [DaemonMeter.Name, "System.Runtime", "Microsoft.AspNetCore.Server.Kestrel"];
    private readonly Lock _gate = new();
    private readonly SortedDictionary<string, (
        Instrument Instrument, List<MetricSeries> Series)> _instruments = new(StringComparer.Ordinal);
    private readonly MeterListener _listener = new();

    public PrometheusText()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (!Meters.Contains(instrument.Meter.Name)) return;
            lock (_gate) _instruments[instrument.Name] = (instrument, []);
            listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Take(instrument, value, tags));
        _listener.SetMeasurementEventCallback<float>((instrument, value, tags, _) => Take(instrument, value, tags));
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Take(instrument, value, tags));
        _listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Take(instrument, value, tags));
        _listener.SetMeasurementEventCallback<short>((instrument, value, tags, _) => Take(instrument, value, tags));
        _listener.SetMeasurementEventCallback<byte>((instrument, value, tags, _) => Take(instrument, value, tags));
        _listener.Start();
    }

    /// <summary>All current values.</summary>
    public string Write()
    {
        _listener.RecordObservableInstruments();
        var text = new StringBuilder();
        lock (_gate)
        {
            foreach (var (instrument, series) in _instruments.Values)
            {
                if (series.Count > 0) Write(text, instrument, series);
            }
        }
        return text.ToString();
    }

    public void Dispose() => _listener.Dispose();

    private void Take(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        lock (_gate)
        {
            if (!_instruments.TryGetValue(instrument.Name, out var known) || known.Instrument != instrument) return;
            var series = Find(known.Series, tags);
            if (series is null)
            {
                // A limit as a safeguard: attributes come only from this process and are few.
                if (known.Series.Count >= MaxSeriesOfInstrument) return;
                series = new MetricSeries(tags.ToArray(), MetricSeries.BoundariesOf(instrument));
                known.Series.Add(series);
            }
            // Observable instruments report totals, others report differences; gauges report values.
            if (instrument.IsObservable || IsGauge(instrument)) series.Set(value);
            else series.Add(value);
        }
    }

    private static MetricSeries? Find(List<MetricSeries> series, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        foreach (var each in series)
        {
            if (each.Has(tags)) return each;
        }
        return null;
    }

    private static void Write(StringBuilder text, Instrument instrument, List<MetricSeries> series)
    {
        var type = TypeOf(instrument);
        var name = NameOf(instrument, type);
        if (!string.IsNullOrEmpty(instrument.Description))
            text.Append(CultureInfo.InvariantCulture, $"# HELP {name} {Escape(instrument.Description, quotes: false)}\n");
        text.Append(CultureInfo.InvariantCulture, $"# TYPE {name} {type}\n");
        foreach (var each in series)
        {
            if (type == "histogram") WriteHistogram(text, name, instrument, each);
            else text.Append(name).Append(Labels(each.Tags)).Append(' ').Append(Number(each.Value)).Append('\n');
        }
    }

    private static void WriteHistogram(StringBuilder text, string name, Instrument instrument, MetricSeries series)
    {
        var boundaries = MetricSeries.BoundariesOf(instrument);
        for (var i = 0; i < boundaries.Count; i++)
            text.Append(name)
                .Append("_bucket")
                .Append(Labels(series.Tags, Number(boundaries[i])))
                .Append(CultureInfo.InvariantCulture, $" {series.Buckets[i]}\n");
        text.Append(name).Append("_bucket").Append(Labels(series.Tags, "+Inf")).Append(CultureInfo.InvariantCulture, $" {series.Count}\n");
        text.Append(name).Append("_sum").Append(Labels(series.Tags)).Append(' ').Append(Number(series.Value)).Append('\n');
        text.Append(name).Append("_count").Append(Labels(series.Tags)).Append(CultureInfo.InvariantCulture, $" {series.Count}\n");
    }

    private static string TypeOf(Instrument instrument)
    {
        var kind = instrument.GetType().Name;
        if (kind.StartsWith("Histogram", StringComparison.Ordinal)) return "histogram";
        return kind.StartsWith("Counter", StringComparison.Ordinal) || kind.StartsWith("ObservableCounter", StringComparison.Ordinal)
            ? "counter"
            : "gauge";
    }

    private static bool IsGauge(Instrument instrument) => instrument.GetType().Name.StartsWith("Gauge", StringComparison.Ordinal);

    private static string NameOf(Instrument instrument, string type)
    {
        var unit = instrument.Unit switch { "s" => "_seconds", "By" => "_bytes", _ => "" };
        var name = Legal(instrument.Name);
        if (!name.EndsWith(unit, StringComparison.Ordinal)) name += unit;
        return type == "counter" ? name + "_total" : name;
    }

    private static string Labels(KeyValuePair<string, object?>[] tags, string? bucket = null)
    {
        var labels = tags.Select(
            tag => $"{Legal(tag.Key)}=\"{Escape(Convert.ToString(tag.Value, CultureInfo.InvariantCulture) ?? "", quotes: true)}\"");
        if (bucket is not null) labels = labels.Append($"le=\"{bucket}\"");
        var joined = string.Join(',', labels);
        return joined.Length == 0 ? "" : $"{{{joined}}}";
    }

    private static string Legal(string name) =>
        string.Concat(name.Select(letter => char.IsAsciiLetterOrDigit(letter) || letter == '_' ? letter : '_'));

    private static string Escape(string text, bool quotes)
    {
        text = text.Replace("\\", "\\\\").Replace("\n", "\\n");
        return quotes ? text.Replace("\"", "\\\"") : text;
    }

    private static string Number(double value) => value switch
    {
        double.PositiveInfinity => "+Inf",
        double.NegativeInfinity => "-Inf",
        double.NaN => "NaN",
        _ => value.ToString("R", CultureInfo.InvariantCulture),
    };
}
