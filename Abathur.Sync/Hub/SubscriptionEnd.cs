namespace Abathur.Sync.Hub;

/// <summary>Why a subscription ended, with the message for the subscriber.</summary>
public sealed record SubscriptionEnd(SubscriptionEndReason Reason, string Message)
{
    /// <summary>The subscriber has as many frames as it asked for.</summary>
    public static SubscriptionEnd Complete { get; } = new(SubscriptionEndReason.Complete, "all frames that were asked for were sent");

    /// <summary>The subscriber does not want more.</summary>
    public static SubscriptionEnd ByReader { get; } = new(SubscriptionEndReason.Closed, "closed by the subscriber");

    /// <summary>Whether the match is over, in whatever way.</summary>
    public bool IsOfMatch => Reason is SubscriptionEndReason.MatchOver or SubscriptionEndReason.SourceLost;
}

/// <summary>Why a subscription ended.</summary>
public enum SubscriptionEndReason
{
    /// <summary>The match is over, and all frames were read.</summary>
    MatchOver,

    /// <summary>The subscriber has as many frames as it asked for (<see cref="SubscriptionOptions.MaxFrames"/>).</summary>
    Complete,

    /// <summary>The reader did not keep up with a lossless subscription.</summary>
    SlowConsumer,

    /// <summary>A lockstep reader did not acknowledge in time.</summary>
    AckTimeout,

    /// <summary>A frame cannot be encoded in the requested format.</summary>
    BadFrame,

    /// <summary>The game, or the bot that publishes, disconnected during the match.</summary>
    SourceLost,

    /// <summary>The daemon is shutting down.</summary>
    Stopping,

    /// <summary>The subscriber closed it.</summary>
    Closed,
}
