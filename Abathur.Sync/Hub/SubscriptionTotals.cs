using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>Totals of subscriptions by kind, including those that have ended.</summary>
public sealed class SubscriptionTotals
{
    private readonly Dictionary<Kind, Sums> _former = [];

    /// <summary>Bytes that were sent to subscriptions that have ended.</summary>
    public ulong BytesSent => _former.Values.Aggregate(0UL, (sum, each) => sum + each.BytesSent);

    /// <summary>Adds a subscription that has ended.</summary>
    public void Add(SubscriberStatus gone) => Add(_former, gone, now: 0);

    /// <summary>The sums, including those of the current subscriptions.</summary>
    public IReadOnlyDictionary<Kind, Sums> With(IEnumerable<SubscriberStatus> current)
    {
        var sums = new Dictionary<Kind, Sums>(_former);
        foreach (var each in current) Add(sums, each, now: 1);
        return sums;
    }

    private static void Add(Dictionary<Kind, Sums> sums, SubscriberStatus status, int now)
    {
        var kind = new Kind(status.Transport, status.Policy, status.Encoding, status.Compression);
        var before = sums.GetValueOrDefault(kind);
        sums[kind] = new Sums(
            before.Now + now, before.FramesSent + status.FramesSent, before.FramesDropped + status.FramesDropped,
            before.BytesSent + status.BytesSent);
    }

    /// <summary>The properties that define a kind of subscription.</summary>
    public readonly record struct Kind(string Transport, Policy Policy, Encoding Encoding, V1.Compression Compression);

    /// <summary>Number of current subscriptions, and the totals of this kind.</summary>
    public readonly record struct Sums(int Now, ulong FramesSent, ulong FramesDropped, ulong BytesSent);
}
