namespace Abathur.Sync.Hub;

/// <summary>Numbers the subscriptions of a hub. Thread-safe.</summary>
/// <param name="first">The first number.</param>
/// <param name="step">From one number to the next. Two hubs of one match have numbers of their own: how many subscribe to one is not for
/// those of the other.</param>
internal sealed class SubscriptionIds(ulong first = 1, ulong step = 1)
{
    private ulong _next = first;

    /// <summary>The next number.</summary>
    public ulong Next() => Interlocked.Add(ref _next, step) - step;
}
