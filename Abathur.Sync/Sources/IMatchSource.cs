using Abathur.Sync.Hub;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources;

/// <summary>Where the frames of one match come from.</summary>
public interface IMatchSource
{
    /// <summary>What kind of source this is.</summary>
    SourceKind Kind { get; }

    /// <summary>What is fixed for the match, where that is known from the start; else null, and <see cref="FrameHub.Begin"/> is told later.</summary>
    Match? Match => null;

    /// <summary>Whether publishing may wait for lossless readers. A game does not wait.</summary>
    bool CanWait { get; }

    /// <summary>How the source is steered; null where it cannot be.</summary>
    IPlaybackControl? Control => null;

    /// <summary>Takes agents' actions; null where none are taken.</summary>
    IActionTarget? Actions => null;

    /// <summary>Adds what only the source knows.</summary>
    void Describe(Status status)
    {
    }

    /// <summary>Publishes frames until the match is over or the token fires; returns why it ended.</summary>
    Task<SubscriptionEnd> RunAsync(FrameHub hub, CancellationToken cancellation);
}
