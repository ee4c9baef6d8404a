using System.Buffers;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Abathur.Grpc;

/// <summary>
/// A service as a table of methods. Each kind of call has a typed form (protobuf messages), and all of them use
/// <see cref="Method"/>, whose handler reads and writes bytes.
/// </summary>
/// <example>
/// <code>
/// var greeter = new GrpcService("example.Greeter")
///     .Unary("Hello", HelloRequest.Parser, (request, call) => ValueTask.FromResult(new HelloReply { Text = request.Name }));
/// </code>
/// </example>
public sealed class GrpcService
{
    private static readonly GrpcMethodOptions NoOptions = new();
    private readonly Dictionary<string, GrpcMethod> _methods = [];
    private readonly Func<FileDescriptor>? _file;

    /// <param name="name">Full name, "package.Service".</param>
    /// <param name="file">
    /// The file that declares it, for reflection, whose first call asks for it: the descriptors of large files take time to make. Null:
    /// reflection lists only the name.
    /// </param>
    public GrpcService(string name, Func<FileDescriptor>? file = null)
    {
        Name = name;
        _file = file;
    }

    public string Name { get; }

    public FileDescriptor? File => _file?.Invoke();

    internal IReadOnlyDictionary<string, GrpcMethod> Methods => _methods;

    /// <summary>Adds a method of any kind.</summary>
    /// <param name="name">Name without that of the service.</param>
    /// <param name="handler">Serves one call.</param>
    /// <param name="options">Checks before the handler runs; null: only the limits of the server.</param>
    public GrpcService Method(string name, Func<GrpcCall, Task> handler, GrpcMethodOptions? options = null)
    {
        _methods.Add(name, new GrpcMethod(handler, options ?? NoOptions));
        return this;
    }

    /// <summary>One request, one response, both as bytes. The request is a view valid until the handler returns.</summary>
    public GrpcService Unary(
        string name, Func<ReadOnlySequence<byte>, GrpcCall, ValueTask<ReadOnlyMemory<byte>>> handler, GrpcMethodOptions? options = null) =>
        Method(name, async call => await call.WriteAsync(await handler(await ReadOnlyRequestAsync(call), call)), options);

    /// <summary>One request, one response.</summary>
    public GrpcService Unary<TRequest, TResponse>(
        string name, MessageParser<TRequest> parser, Func<TRequest, GrpcCall, ValueTask<TResponse>> handler, GrpcMethodOptions? options =
            null)
        where TRequest : class, IMessage<TRequest>
        where TResponse : IMessage
    {
        return Method(name, ServeAsync, options);

        async Task ServeAsync(GrpcCall call)
        {
            var response = await handler(await ReadOnlyRequestAsync(call, parser), call);
            using var reserved = options?.Reserve?.Invoke(call, response);
            await call.WriteAsync(response);
        }
    }

    /// <summary>One request, a stream of responses: the handler writes them to the call.</summary>
    public GrpcService ServerStreaming<TRequest>(
        string name, MessageParser<TRequest> parser, Func<TRequest, GrpcCall, Task> handler, GrpcMethodOptions? options = null)
        where TRequest : class, IMessage<TRequest> =>
        Method(name, async call => await handler(await ReadOnlyRequestAsync(call, parser), call), options);

    /// <summary>A stream of requests, one response: the handler reads them from the call.</summary>
    public GrpcService ClientStreaming<TResponse>(
        string name, Func<GrpcCall, ValueTask<TResponse>> handler, GrpcMethodOptions? options = null)
        where TResponse : IMessage =>
        Method(name, async call => await call.WriteAsync(await handler(call)), options);

    /// <summary>Streams both ways: the handler reads from and writes to the call.</summary>
    public GrpcService Bidirectional(string name, Func<GrpcCall, Task> handler, GrpcMethodOptions? options = null) =>
        Method(name, handler, options);

    private static async ValueTask<TRequest> ReadOnlyRequestAsync<TRequest>(GrpcCall call, MessageParser<TRequest> parser)
        where TRequest : class, IMessage<TRequest> =>
        await call.ReadAsync(parser) ?? throw NoRequest();

    private static async ValueTask<ReadOnlySequence<byte>> ReadOnlyRequestAsync(GrpcCall call) =>
        await call.ReadAsync() ?? throw NoRequest();

    private static GrpcException NoRequest() => new(GrpcStatusCode.Internal, "the call has no request message");
}
