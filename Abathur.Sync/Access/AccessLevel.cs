namespace Abathur.Sync.Access;

/// <summary>What a client may do. Each level may do what those below it may.</summary>
public enum AccessLevel
{
    /// <summary>No token was sent, although one is needed.</summary>
    None,

    /// <summary>See the match, and how the daemon is doing.</summary>
    Watch,

    /// <summary>Change something: act, draw, publish, control a playback, keep the source waiting (lockstep).</summary>
    Act,
}
