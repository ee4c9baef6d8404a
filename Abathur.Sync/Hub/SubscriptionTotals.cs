using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>What subscriptions of the same kind have been sent in all, those that are gone included.</summary>
public sealed class SubscriptionTotals
{
    private readonly Dictionary<Kind, Sums> _former = [];

    /// <summary>Adds a subscription that has ended.</summary>
    public void Add(SubscriberStatus gone) => Add(_former, gone, now: 0);

    /// <summary>The sums, together with those of the subscriptions that are there.</summary>
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
        sums[kind] = new Sums(before.Now + now, before.FramesSent + status.FramesSent, before.FramesDropped + status.FramesDropped, before.BytesSent + status.BytesSent);
    }

    /// <summary>What subscriptions are told apart by.</summary>
    public readonly record struct Kind(string Transport, Policy Policy, Encoding Encoding, V1.Compression Compression);

    /// <summary>Subscriptions that are there now, and what they and their like have been sent.</summary>
    public readonly record struct Sums(int Now, ulong FramesSent, ulong FramesDropped, ulong BytesSent);
}
