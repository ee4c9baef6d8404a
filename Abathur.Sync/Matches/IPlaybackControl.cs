using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>Controls a source that can pause, step and seek.</summary>
public interface IPlaybackControl
{
    /// <summary>The current state.</summary>
    PlaybackState State { get; }

    /// <summary>Executes a command and returns the state after it. Throws <see cref="PlaybackException"/> if it cannot be
    /// executed.</summary>
    Task<PlaybackState> ControlAsync(ControlRequest request, CancellationToken cancellationToken);
}
