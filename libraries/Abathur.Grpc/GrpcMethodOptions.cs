using Google.Protobuf;

namespace Abathur.Grpc;

/// <summary>Limits of a method of a <see cref="GrpcService"/>.</summary>
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

    /// <summary>
    /// Called with the response of a unary method before it is written. What it returns is disposed when the client has taken the response,
    /// or the call has ended: room in a limit on responses that clients do not read. Throws <see cref="GrpcException"/> to refuse the
    /// response. Default: nothing is reserved. Not called for responses as bytes.
    /// </summary>
    public Func<GrpcCall, IMessage, IDisposable?>? Reserve { get; init; }
}
