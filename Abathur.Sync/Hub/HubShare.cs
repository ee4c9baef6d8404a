using Abathur.Sync.Frames;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>What the hubs of successive matches share: limits, which count the subscriptions of all of them, numbers, totals, and who is
/// told.</summary>
internal sealed class HubShare
{
    private volatile FrameHub[] _hubs = [];

    /// <param name="options">Limits.</param>
    /// <param name="clock">Clock of stamps and timeouts.</param>
    /// <param name="ids">Numbers the subscriptions; null: from 1.</param>
    public HubShare(HubOptions options, TimeProvider clock, SubscriptionIds? ids = null)
    {
        (Options, Clock, Ids) = (options, clock, ids ?? new SubscriptionIds());
        HoldUps = new HoldUpBudget(options.WatchersHoldUp, clock);
        EncoderHoldUps = new HoldUpBudget(options.WatchersEncodersHoldUp, clock);
    }

    /// <summary>Limits.</summary>
    public HubOptions Options { get; }

    /// <summary>Clock of stamps and timeouts.</summary>
    public TimeProvider Clock { get; }

    /// <summary>Numbers the subscriptions.</summary>
    public SubscriptionIds Ids { get; }

    /// <summary>Guards the subscriptions of all hubs, and the totals.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Schedules the writes of readers.</summary>
    public SubscriberScheduler Readers { get; } = new();

    /// <summary>How long readers with a watch token may delay a source.</summary>
    public HoldUpBudget HoldUps { get; }

    /// <summary>How long the encoders of such readers may.</summary>
    public HoldUpBudget EncoderHoldUps { get; }

    /// <summary>Of the subscriptions that have ended.</summary>
    public SubscriptionTotals Former { get; } = new();

    /// <summary>Called with the encoding time of each frame, on the task of its stream. Must neither block nor throw.</summary>
    public Action<PayloadFormat, TimeSpan>? Encoded { get; set; }

    /// <summary>Raised for each new subscription.</summary>
    public event Action<Subscription>? Joined;

    /// <summary>Raised for each subscription that has ended.</summary>
    public event Action<Subscription>? Left;

    /// <summary>All subscriptions.</summary>
    public IEnumerable<Subscription> Subscriptions => _hubs.SelectMany(hub => hub.Subscriptions);

    /// <summary>Bytes that were sent to all subscriptions. Under the gate.</summary>
    public ulong BytesSent => Subscriptions.Aggregate(Former.BytesSent, (sum, each) => sum + each.BytesSent);

    /// <summary>Totals of all subscriptions, by kind.</summary>
    public IReadOnlyDictionary<SubscriptionTotals.Kind, SubscriptionTotals.Sums> Totals()
    {
        lock (Gate) return Former.With(_hubs.SelectMany(hub => hub.Statuses()));
    }

    /// <summary>Adds the subscribers to a status.</summary>
    /// <param name="status">The status.</param>
    /// <param name="of">Their hub; null: all.</param>
    public void Describe(Status status, FrameHub? of = null)
    {
        lock (Gate)
        {
            var hubs = of is null ? _hubs : [of];
            status.Subscribers.AddRange(hubs.SelectMany(hub => hub.Statuses()).OrderBy(each => each.Id));
            status.BytesSent += BytesSent;
        }
    }

    /// <summary>Why a subscriber cannot be added; null if it can. Under the gate.</summary>
    /// <param name="options">The subscription.</param>
    /// <param name="key">Its stream.</param>
    /// <param name="needsStream">Whether it needs a stream, or an encoder, of its own.</param>
    /// <param name="readsEarlier">Whether it reads earlier frames first.</param>
    public string? Problem(SubscriptionOptions options, StreamKey key, bool needsStream, bool readsEarlier)
    {
        if (Subscriptions.Count(each => !each.Waits) >= Options.MaxSubscriptions)
            return $"there are {Options.MaxSubscriptions} subscriptions, which is the limit";
        if (needsStream && EncoderProblem(options, key) is { } problem) return problem;
        var reading = _hubs.Sum(hub => hub.ReadingEarlier);
        var most = Options.MaxHistoryReaders - (options.MayHoldUp ? 0 : Options.MaxHistoryReaders / 4);
        return readsEarlier && reading >= most ? $"{reading} subscriptions are reading the history: try again later" : null;
    }

    /// <summary>Why a subscriber cannot have a stream, or an encoder, of its own; null if it can. Under the gate.</summary>
    /// <param name="options">The subscription.</param>
    /// <param name="key">Its stream.</param>
    /// <param name="except">A subscription whose own encoder does not count; null: all count.</param>
    public string? EncoderProblem(SubscriptionOptions options, StreamKey key, Subscription? except = null) =>
        StreamLimits.Problem(_hubs.SelectMany(hub => hub.Encoders(except)), key, options, Options);

    /// <summary>Adds a hub, whose subscriptions count from now on.</summary>
    public void Add(FrameHub hub)
    {
        lock (Gate)
        {
            if (!_hubs.Contains(hub)) _hubs = [.. _hubs, hub];
        }
    }

    /// <summary>Removes a hub that has no subscriptions.</summary>
    public void Remove(FrameHub hub)
    {
        lock (Gate) _hubs = [.. _hubs.Where(each => each != hub)];
    }

    /// <summary>Tells of a new subscription.</summary>
    public void TellJoined(Subscription subscription) => Joined?.Invoke(subscription);

    /// <summary>Tells of one that has ended.</summary>
    public void TellLeft(Subscription subscription) => Left?.Invoke(subscription);
}
