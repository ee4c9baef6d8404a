using Abathur.Sync.Hub;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources;

/// <summary>Where the frames of one match come from.</summary>
public interface IMatchSource
{
    /// <summary>What is fixed for the match.</summary>
    Match Match { get; }

    /// <summary>Whether publishing may wait for lossless readers. A game does not wait.</summary>
    bool CanWait { get; }

    /// <summary>How the source is steered; null where it cannot be.</summary>
    IPlaybackControl? Control { get; }

    /// <summary>Publishes frames until the match is over or the token fires; returns why it ended.</summary>
    Task<SubscriptionEnd> RunAsync(FrameHub hub, CancellationToken cancellation);
}
