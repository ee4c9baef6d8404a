namespace Abathur.Sync.Transports.Grpc;

/// <summary>Limits of a <see cref="GrpcServer"/>.</summary>
public sealed record GrpcServerOptions
{
    /// <summary>
    /// Largest request message in bytes, compressed and decompressed. Default 4 MiB, as gRPC has it elsewhere.
    /// A larger one ends the call with RESOURCE_EXHAUSTED before it is read.
    /// </summary>
    public int MaxReceiveMessageBytes { get; init; } = 4 * 1024 * 1024;

    /// <summary>Largest response message in bytes before compression. Default: no limit.</summary>
    public int MaxSendMessageBytes { get; init; } = int.MaxValue;

    /// <summary>Clock of deadlines.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Called with the method and the exception when a handler fails in a way that is not a <see cref="GrpcException"/>.</summary>
    public Action<string, Exception> OnHandlerFailure { get; init; } = static (_, _) => { };
}
