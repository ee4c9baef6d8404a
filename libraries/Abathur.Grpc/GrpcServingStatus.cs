namespace Abathur.Grpc;

/// <summary>What <see cref="GrpcHealth"/> says of a service, with the numbers on the wire.</summary>
public enum GrpcServingStatus
{
    Unknown = 0,
    Serving = 1,
    NotServing = 2,
    ServiceUnknown = 3,
}
