using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Sources;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Transports;

/// <summary>A source that begins no match and publishes nothing.</summary>
internal sealed class SilentSource : IMatchSource
{
    public MatchAbilities Abilities { get; } = new() { Kind = SourceKind.Playback, CanWait = true };

    public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken)
    {
        await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken).ContinueWith(_ => { }, TaskScheduler.Default);
        return new(SubscriptionEndReason.Stopping, "stopped");
    }
}
