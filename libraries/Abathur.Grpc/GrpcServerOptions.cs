namespace Abathur.Grpc;

/// <summary>Limits of a <see cref="GrpcServer"/>.</summary>
public sealed record GrpcServerOptions
{
    /// <summary>
    /// Largest request message in bytes, compressed and decompressed. Default 4 MiB, as gRPC has it elsewhere.
    /// A larger one ends the call with RESOURCE_EXHAUSTED before it is read.
    /// </summary>
    public int MaxReceiveMessageBytes { get; init; } = 4 * 1024 * 1024;

    /// <summary>
    /// How long a client may take for the whole of its first message, on every kind of call. Default: no limit. Then the call ends with DEADLINE_EXCEEDED.
    /// </summary>
    public TimeSpan FirstMessageTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// Bytes of request messages that are held because they are not complete yet, or decompressed, all connections together. Default 64 MiB. A message that
    /// would exceed it ends its call with RESOURCE_EXHAUSTED.
    /// </summary>
    public long MaxRequestBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>The same for one connection. Default 32 MiB.</summary>
    public long MaxConnectionRequestBytes { get; init; } = 32L * 1024 * 1024;

    /// <summary>Calls at once, all connections together. Default: no limit. One more ends with RESOURCE_EXHAUSTED.</summary>
    public int MaxConcurrentCalls { get; init; } = int.MaxValue;

    /// <summary>Largest response message in bytes before compression. Default: no limit.</summary>
    public int MaxSendMessageBytes { get; init; } = int.MaxValue;

    /// <summary>Clock of deadlines.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Called with the method and the exception when a handler fails in a way that is not a <see cref="GrpcException"/>.</summary>
    public Action<string, Exception> OnHandlerFailure { get; init; } = static (_, _) => { };
}
