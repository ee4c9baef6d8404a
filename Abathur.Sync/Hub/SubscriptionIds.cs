namespace Abathur.Sync.Hub;

/// <summary>Numbers the subscriptions of one or more hubs, from 1. Thread-safe.</summary>
internal sealed class SubscriptionIds
{
    private ulong _last;

    /// <summary>The next number.</summary>
    public ulong Next() => Interlocked.Increment(ref _last);
}
