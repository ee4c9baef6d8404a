using Abathur.Sync.V1;

namespace Abathur.Sync.Sources;

/// <summary>Controls a source that has a past and a future.</summary>
public interface IPlaybackControl
{
    /// <summary>Where it stands.</summary>
    PlaybackState State { get; }

    /// <summary>Carries a command out and answers the state after it. Throws <see cref="PlaybackException"/> where it cannot be carried out.</summary>
    Task<PlaybackState> ControlAsync(ControlRequest request, CancellationToken cancellation);
}
