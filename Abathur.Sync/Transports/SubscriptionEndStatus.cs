using Abathur.Sync.Hub;
using Abathur.Sync.Requests;

namespace Abathur.Sync.Transports;

/// <summary>Maps the end of a subscription to a status code.</summary>
internal static class SubscriptionEndStatus
{
    public static RequestStatus Status(this SubscriptionEnd end) => end.Reason switch
    {
        SubscriptionEndReason.MatchOver or SubscriptionEndReason.Complete => RequestStatus.Ok,
        SubscriptionEndReason.SlowConsumer => RequestStatus.ResourceExhausted,
        SubscriptionEndReason.AckTimeout => RequestStatus.DeadlineExceeded,
        SubscriptionEndReason.BadFrame => RequestStatus.DataLoss,
        SubscriptionEndReason.SourceLost => RequestStatus.Aborted,
        SubscriptionEndReason.Stopping => RequestStatus.Unavailable,
        SubscriptionEndReason.Closed => RequestStatus.Cancelled,
        _ => RequestStatus.Internal,
    };
}
