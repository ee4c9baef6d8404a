using Abathur.Grpc;
using Abathur.Sync.Hub;

namespace Abathur.Sync.Transports;

/// <summary>What the end of a subscription is called on the wire.</summary>
internal static class SubscriptionEndStatus
{
    public static GrpcStatusCode StatusCode(this SubscriptionEnd end) => end.Reason switch
    {
        SubscriptionEndReason.MatchOver => GrpcStatusCode.Ok,
        SubscriptionEndReason.SlowConsumer => GrpcStatusCode.ResourceExhausted,
        SubscriptionEndReason.AckTimeout => GrpcStatusCode.DeadlineExceeded,
        SubscriptionEndReason.BadFrame => GrpcStatusCode.DataLoss,
        SubscriptionEndReason.SourceLost => GrpcStatusCode.Aborted,
        SubscriptionEndReason.Stopping => GrpcStatusCode.Unavailable,
        SubscriptionEndReason.Closed => GrpcStatusCode.Cancelled,
        _ => GrpcStatusCode.Internal,
    };
}
