namespace Abathur.Grpc;

/// <summary>The status of a service in <see cref="GrpcHealth"/>, with its numbers on the wire.</summary>
public enum GrpcServingStatus
{
    Unknown = 0,
    Serving = 1,
    NotServing = 2,
    ServiceUnknown = 3,
}
