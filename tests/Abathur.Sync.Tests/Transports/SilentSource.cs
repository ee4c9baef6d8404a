using Abathur.Sync.Hub;
using Abathur.Sync.Sources;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Transports;

/// <summary>A match in which nothing happens.</summary>
internal sealed class SilentSource : IMatchSource
{
    public Match Match { get; } = new() { MatchId = "silent" };

    public bool CanWait => true;

    public IPlaybackControl? Control => null;

    public async Task<SubscriptionEnd> RunAsync(FrameHub hub, CancellationToken cancellation)
    {
        await Task.Delay(Timeout.InfiniteTimeSpan, cancellation).ContinueWith(_ => { }, TaskScheduler.Default);
        return new(SubscriptionEndReason.Stopping, "stopped");
    }
}
