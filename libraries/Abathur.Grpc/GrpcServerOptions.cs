namespace Abathur.Grpc;

/// <summary>Limits of a <see cref="GrpcServer"/>.</summary>
public sealed record GrpcServerOptions
{
    /// <summary>
    /// Largest request message in bytes, compressed and decompressed. Default 4 MiB, as in other gRPC libraries.
    /// A larger one ends the call with RESOURCE_EXHAUSTED before it is read.
    /// </summary>
    public int MaxReceiveMessageBytes { get; init; } = 4 * 1024 * 1024;

    /// <summary>
    /// How long a client may take to send its complete first message, on every kind of call. Then the call ends with DEADLINE_EXCEEDED.
    /// Default: no limit.
    /// </summary>
    public TimeSpan FirstMessageTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// Bytes of incomplete and of decompressed request messages, all connections together. Default 64 MiB. A message that would exceed it
    /// ends its call with RESOURCE_EXHAUSTED.
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

    /// <summary>
    /// Maps an exception of a handler to a status; null: the handler has failed (<see cref="OnHandlerFailure"/>). For services with their
    /// own exceptions. Default: null for all.
    /// </summary>
    public Func<Exception, GrpcException?> MapException { get; init; } = static _ => null;

    /// <summary>Called with the method and the exception when a handler fails with an exception that is neither a
    /// <see cref="GrpcException"/> nor mapped by <see cref="MapException"/>.</summary>
    public Action<string, Exception> OnHandlerFailure { get; init; } = static (_, _) => { };
}
