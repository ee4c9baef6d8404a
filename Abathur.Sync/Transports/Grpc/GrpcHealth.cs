using System.Buffers;
using Google.Protobuf;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// The standard health service, <c>grpc.health.v1.Health</c>: <c>Check</c> and <c>Watch</c>. The empty name stands for
/// the server as a whole. Its two messages are small enough to be written by hand: HealthCheckRequest { string service
/// = 1 }, HealthCheckResponse { ServingStatus status = 1 }.
/// </summary>
public sealed class GrpcHealth
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, GrpcServingStatus> _statuses = new() { [""] = GrpcServingStatus.Serving };
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public GrpcHealth() => Service = new GrpcService("grpc.health.v1.Health").Method("Check", CheckAsync).Method("Watch", WatchAsync);

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

    private async Task CheckAsync(GrpcCall call)
    {
        var service = ReadService(await call.ReadAsync());
        var (status, _) = Look(service);
        if (status == GrpcServingStatus.ServiceUnknown) throw new GrpcException(GrpcStatusCode.NotFound, $"unknown service {service}");
        await call.WriteAsync(Response(status));
    }

    private async Task WatchAsync(GrpcCall call)
    {
        var service = ReadService(await call.ReadAsync());
        GrpcServingStatus? last = null;
        while (true)
        {
            var (status, changed) = Look(service);
            if (status != last) await call.WriteAsync(Response(status));
            last = status;
            await changed.WaitAsync(call.Cancellation);
        }
    }

    private (GrpcServingStatus Status, Task Changed) Look(string service)
    {
        lock (_gate) return (_statuses.GetValueOrDefault(service, GrpcServingStatus.ServiceUnknown), _changed.Task);
    }

    private static string ReadService(ReadOnlySequence<byte>? request)
    {
        if (request is not { } bytes) throw new GrpcException(GrpcStatusCode.Internal, "the call has no request message");
        var input = new CodedInputStream(bytes.ToArray());
        var service = "";
        try
        {
            while (input.ReadTag() is var tag and not 0)
            {
                if (WireFormat.GetTagFieldNumber(tag) == 1) service = input.ReadString();
                else input.SkipLastField();
            }
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new GrpcException(GrpcStatusCode.Internal, $"the request is not a HealthCheckRequest: {e.Message}");
        }
        return service;
    }

    private static byte[] Response(GrpcServingStatus status) => [(1 << 3) | (int)WireFormat.WireType.Varint, (byte)status];
}
