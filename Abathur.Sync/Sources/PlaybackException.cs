namespace Abathur.Sync.Sources;

/// <summary>A playback command that cannot be carried out.</summary>
public sealed class PlaybackException(string message, bool outOfRange = false) : Exception(message)
{
    /// <summary>Whether the command asks for a place that the recording does not have (rather than for nonsense).</summary>
    public bool IsOutOfRange { get; } = outOfRange;
}
