using System.Diagnostics.Metrics;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.V1;

namespace Abathur.Sync.Diagnostics.Metrics;

/// <summary>
/// The daemon's metrics as <c>System.Diagnostics.Metrics</c>, with names and units by the conventions of OpenTelemetry (docs/operations.md
/// lists them). Nothing is counted here: the values of the match and the source are read on demand.
/// </summary>
public sealed class DaemonMeter : IDisposable
{
    /// <summary>Name of the meter.</summary>
    public const string Name = "Abathur.Sync";

    /// <summary>Cached, so that all instruments of one collection use the same status.</summary>
    private static readonly TimeSpan StatusAge = TimeSpan.FromMilliseconds(100);

    private readonly Meter _meter = new(Name, DaemonVersion.Text);
    private readonly IReadOnlyList<MatchView> _views;
    private readonly CachedValue<Status> _status;
    private readonly CachedValue<MatchTotals> _totals;
    private readonly Histogram<double> _encoding;

    /// <param name="views">What clients see; the first is the match as it is.</param>
    /// <param name="describe">Returns the daemon's status.</param>
    /// <param name="recordings">Records the matches; null: they are not recorded.</param>
    /// <param name="clock">Clock of the status.</param>
    public DaemonMeter(IReadOnlyList<MatchView> views, Func<Status> describe, MatchRecordings? recordings, TimeProvider clock)
    {
        _views = views;
        _status = new(describe, StatusAge, clock);
        _totals = new(views[0].Totals, StatusAge, clock);
        Count("abathur.source.frames", "{frame}", "Frames published.", () => Totals.Frames);
        Count("abathur.source.io", "By", "Bytes of observations published, as they came from the source.", () => Totals.Bytes);
        _meter.CreateObservableGauge(
            "abathur.source.game_loop", () => (long)views[0].Current.Hub.NewestGameLoop, "{game_loop}", "Game loop of the newest frame.");
        _meter.CreateObservableUpDownCounter(
            "abathur.subscriptions", () => OfEachKind(sums => sums.Now), "{subscription}", "Subscriptions.");
        _meter.CreateObservableCounter(
            "abathur.subscription.frames.sent", () => OfEachKind(sums => (long)sums.FramesSent), "{frame}", "Frames sent to subscribers.");
        _meter.CreateObservableCounter(
            "abathur.subscription.frames.dropped", () => OfEachKind(sums => (long)sums.FramesDropped), "{frame}",
            "Frames that subscribers dropped.");
        _meter.CreateObservableCounter(
            "abathur.subscription.io", () => OfEachKind(sums => (long)sums.BytesSent), "By", "Bytes sent to subscribers.");
        _meter.CreateObservableGauge(
            "abathur.subscription.lag", () => (long)Now.Subscribers.Select(each => each.LagGameLoops).DefaultIfEmpty().Max(), "{game_loop}",
            "Largest lag of a subscriber behind the newest frame.");
        _meter.CreateObservableCounter("abathur.actions", Actions, "{action}", "Agents' actions, by what became of them.");
        Count("abathur.recording.frames", "{frame}", "Frames recorded.", () => recordings?.Totals.Frames ?? 0);
        Count("abathur.recording.frames.dropped", "{frame}", "Frames that the recording dropped.", () => recordings?.Totals.Dropped ?? 0);
        _meter.CreateObservableGauge(
            "abathur.recording.failed", () => Now.Recording?.Error.Length > 0 ? 1L : 0L, "1", "1 where the recording has ended early.");
        _encoding = _meter.CreateHistogram<double>(
            "abathur.encoding.duration", "s", "Time to encode a frame for a stream.",
            advice: new InstrumentAdvice<double>
            {
                HistogramBucketBoundaries = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
            });
        foreach (var view in views) view.Share.Encoded = CountEncoding;
    }

    private Status Now => _status.Value;

    private MatchTotals Totals => _totals.Value;

    /// <inheritdoc/>
    public void Dispose() => _meter.Dispose();

    private void Count(string name, string unit, string description, Func<ulong> value) =>
        _meter.CreateObservableCounter(name, () => (long)value(), unit, description);

    private void CountEncoding(PayloadFormat format, TimeSpan duration)
    {
        if (_encoding.Enabled)
            _encoding.Record(
                duration.TotalSeconds, new("abathur.encoding", PayloadFormat.NameOf(format.Encoding)),
                new("abathur.compression", PayloadFormat.NameOf(format.Compression)));
    }

    private IEnumerable<Measurement<long>> OfEachKind(Func<SubscriptionTotals.Sums, long> value) =>
        from view in _views
        from each in view.Share.Totals()
        group value(each.Value) by each.Key into kind
        select new Measurement<long>(
            kind.Sum(),
            new("abathur.transport", kind.Key.Transport),
            new("abathur.policy", kind.Key.Policy.ToString().ToLowerInvariant()),
            new("abathur.encoding", PayloadFormat.NameOf(kind.Key.Encoding)),
            new("abathur.compression", PayloadFormat.NameOf(kind.Key.Compression)));

    private IEnumerable<Measurement<long>> Actions()
    {
        if (Now.Actions is null) return [];
        var actions = Totals;
        return
        [
            new((long)actions.Given, new KeyValuePair<string, object?>("abathur.result", "given")),
            new((long)actions.Failed, new KeyValuePair<string, object?>("abathur.result", "failed")),
            new((long)actions.Late, new KeyValuePair<string, object?>("abathur.result", "late")),
            new((long)actions.Refused, new KeyValuePair<string, object?>("abathur.result", "refused")),
        ];
    }
}
