namespace Abathur.Grpc;

/// <summary>Ends a call with a status other than OK. Thrown by handlers and by the framing; it never leaves the server.</summary>
public sealed class GrpcException : Exception
{
    public GrpcException(GrpcStatusCode statusCode, string message)
        : base(message) => StatusCode = statusCode;

    public GrpcStatusCode StatusCode { get; }
}
