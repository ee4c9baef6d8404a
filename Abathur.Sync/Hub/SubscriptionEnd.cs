namespace Abathur.Sync.Hub;

/// <summary>Why a subscription ended, with what the subscriber is told.</summary>
public sealed record SubscriptionEnd(SubscriptionEndReason Reason, string Message);

/// <summary>Why a subscription ended.</summary>
public enum SubscriptionEndReason
{
    /// <summary>The match is over, and every frame that was due has been taken.</summary>
    MatchOver,

    /// <summary>The reader did not keep up with a lossless subscription.</summary>
    SlowConsumer,

    /// <summary>A lockstep reader did not answer in time.</summary>
    AckTimeout,

    /// <summary>A frame cannot be encoded as asked.</summary>
    BadFrame,

    /// <summary>The game, or the bot that publishes, is gone in the middle of the match.</summary>
    SourceLost,

    /// <summary>The daemon stops.</summary>
    Stopping,

    /// <summary>The subscriber closed it.</summary>
    Closed,
}
