namespace Abathur.Sync.Hub;

/// <summary>The frames of before a subscription, which are sent first. Disposed when the subscription has left the hub.</summary>
internal interface IEarlierFrames : IDisposable
{
    /// <summary>Sends them, and lets the subscription follow the frames that are published then (<see cref="FrameHub.Follow"/>). Returns
    /// why the subscription has ended; null if such frames follow.</summary>
    Task<SubscriptionEnd?> SendAsync(Subscription subscription, IFrameOutput output, CancellationToken cancellationToken);
}
