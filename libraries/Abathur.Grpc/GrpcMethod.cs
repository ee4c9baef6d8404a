namespace Abathur.Grpc;

/// <summary>A method of a service: its handler, and the checks before it runs.</summary>
internal sealed record GrpcMethod(Func<GrpcCall, Task> Handler, GrpcMethodOptions Options);
