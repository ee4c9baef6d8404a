namespace Abathur.Sync.Matches;

/// <summary>A playback command cannot be executed.</summary>
public sealed class PlaybackException(PlaybackRefusal reason, string message) : Exception(message)
{
    public PlaybackRefusal Reason { get; } = reason;
}

/// <summary>Why a playback command cannot be executed.</summary>
public enum PlaybackRefusal
{
    /// <summary>The command is invalid.</summary>
    Invalid,

    /// <summary>The position is outside the recording.</summary>
    OutOfRange,

    /// <summary>The playback is over.</summary>
    Over,
}
