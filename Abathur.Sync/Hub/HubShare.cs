using Abathur.Sync.Frames;
using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>What the hubs of successive matches share that the same clients see: numbers and totals of their subscriptions, and who is
/// told of these.</summary>
internal sealed class HubShare
{
    private volatile FrameHub[] _hubs = [];

    /// <param name="limits">Limits, which count the subscriptions of all hubs of the daemon.</param>
    /// <param name="ids">Numbers the subscriptions; null: from 1.</param>
    public HubShare(HubLimits limits, SubscriptionIds? ids = null)
    {
        (Limits, Ids, HistoryBytes) = (limits, ids ?? new SubscriptionIds(), limits.Options.HistoryBytes);
        limits.Add(this);
    }

    /// <summary>With limits of their own.</summary>
    /// <param name="options">The limits.</param>
    /// <param name="clock">Clock of stamps and timeouts.</param>
    public HubShare(HubOptions options, TimeProvider clock)
        : this(new HubLimits(options, clock))
    {
    }

    /// <summary>Limits, which count the subscriptions of all hubs of the daemon.</summary>
    public HubLimits Limits { get; }

    /// <summary>Memory in bytes for what is kept of the matches. Default <see cref="HubOptions.HistoryBytes"/>; views divide it.</summary>
    public long HistoryBytes { get; init; }

    /// <summary>Numbers the subscriptions.</summary>
    public SubscriptionIds Ids { get; }

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

    /// <summary>Subscriptions that read earlier frames.</summary>
    public int ReadingEarlier => _hubs.Sum(hub => hub.ReadingEarlier);

    /// <summary>Bytes that were sent to all subscriptions. Under the gate.</summary>
    public ulong BytesSent => Subscriptions.Aggregate(Former.BytesSent, (sum, each) => sum + each.BytesSent);

    /// <summary>Totals of all subscriptions, by kind.</summary>
    public IReadOnlyDictionary<SubscriptionTotals.Kind, SubscriptionTotals.Sums> Totals()
    {
        lock (Limits.Gate) return Former.With(_hubs.SelectMany(hub => hub.Statuses()));
    }

    /// <summary>Adds the subscribers to a status.</summary>
    /// <param name="status">The status.</param>
    /// <param name="of">Their hub; null: all.</param>
    public void Describe(Status status, FrameHub? of = null)
    {
        lock (Limits.Gate)
        {
            var hubs = of is null ? _hubs : [of];
            status.Subscribers.AddRange(hubs.SelectMany(hub => hub.Statuses()).OrderBy(each => each.Id));
            status.BytesSent += BytesSent;
        }
    }

    /// <summary>What may have an encoder: streams, and readers of earlier frames.</summary>
    /// <param name="except">A reader that does not count.</param>
    public IEnumerable<(StreamKey Key, Subscription[] Readers)> Encoders(Subscription? except) =>
        _hubs.SelectMany(hub => hub.Encoders(except));

    /// <summary>Adds a hub, whose subscriptions count from now on.</summary>
    public void Add(FrameHub hub)
    {
        lock (Limits.Gate)
        {
            if (!_hubs.Contains(hub)) _hubs = [.. _hubs, hub];
        }
    }

    /// <summary>Removes a hub that has no subscriptions.</summary>
    public void Remove(FrameHub hub)
    {
        lock (Limits.Gate) _hubs = [.. _hubs.Where(each => each != hub)];
    }

    /// <summary>Tells of a new subscription.</summary>
    public void TellJoined(Subscription subscription) => Joined?.Invoke(subscription);

    /// <summary>Tells of one that has ended.</summary>
    public void TellLeft(Subscription subscription) => Left?.Invoke(subscription);
}
