namespace Abathur.Sync.Sources;

/// <summary>A playback command that cannot be carried out.</summary>
public sealed class PlaybackException(PlaybackRefusal reason, string message) : Exception(message)
{
    public PlaybackRefusal Reason { get; } = reason;
}

/// <summary>Why a playback command cannot be carried out.</summary>
public enum PlaybackRefusal
{
    /// <summary>The command makes no sense.</summary>
    Invalid,

    /// <summary>It asks for a place that the recording does not have.</summary>
    OutOfRange,

    /// <summary>The playback is over.</summary>
    Over,
}
