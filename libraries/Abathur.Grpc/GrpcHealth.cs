using Abathur.Grpc.Health;

namespace Abathur.Grpc;

/// <summary>
/// The standard health service, <c>grpc.health.v1.Health</c>: <c>Check</c> and <c>Watch</c>. The empty name stands for
/// the server as a whole.
/// </summary>
public sealed class GrpcHealth
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, GrpcServingStatus> _statuses = new() { [""] = GrpcServingStatus.Serving };
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public GrpcHealth() => Service = new GrpcService("grpc.health.v1.Health", () => HealthReflection.Descriptor)
        .Unary("Check", HealthCheckRequest.Parser, (request, _) => ValueTask.FromResult(Check(request)))
        .ServerStreaming("Watch", HealthCheckRequest.Parser, WatchAsync);

    public GrpcService Service { get; }

    /// <summary>Sets the status of a service ("" for the whole server) and tells the watchers.</summary>
    public void Set(string service, GrpcServingStatus status)
    {
        TaskCompletionSource changed;
        lock (_gate)
        {
            _statuses[service] = status;
            changed = _changed;
            _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        }
        changed.SetResult();
    }

    private HealthCheckResponse Check(HealthCheckRequest request)
    {
        var (status, _) = Look(request.Service);
        if (status == GrpcServingStatus.ServiceUnknown)
            throw new GrpcException(GrpcStatusCode.NotFound, $"unknown service {request.Service}");
        return Response(status);
    }

    private async Task WatchAsync(HealthCheckRequest request, GrpcCall call)
    {
        GrpcServingStatus? last = null;
        while (true)
        {
            var (status, changed) = Look(request.Service);
            if (status != last) await call.WriteAsync(Response(status));
            last = status;
            await changed.WaitAsync(call.Cancellation);
        }
    }

    private (GrpcServingStatus Status, Task Changed) Look(string service)
    {
        lock (_gate) return (_statuses.GetValueOrDefault(service, GrpcServingStatus.ServiceUnknown), _changed.Task);
    }

    private static HealthCheckResponse Response(GrpcServingStatus status) =>
        new() { Status = (HealthCheckResponse.Types.ServingStatus)status };
}
