namespace Abathur.Grpc;

/// <summary>Checks before a method of a <see cref="GrpcService"/> reads a request.</summary>
public sealed record GrpcMethodOptions
{
    /// <summary>Largest request message in bytes, compressed and decompressed. Default:
    /// <see cref="GrpcServerOptions.MaxReceiveMessageBytes"/>.</summary>
    public int? MaxReceiveMessageBytes { get; init; }

    /// <summary>
    /// Called with the request headers, before a byte of the message is buffered or decompressed. Throws <see cref="GrpcException"/> to
    /// refuse the call.
    /// Default: every call is accepted.
    /// </summary>
    public Action<GrpcCall>? Authorize { get; init; }
}
