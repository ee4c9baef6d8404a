using System.Buffers;
using System.Runtime.CompilerServices;
using Abathur.Sync.V1;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;

namespace Abathur.Client;

/// <summary>A subscription over gRPC that acknowledges nothing.</summary>
/// <remarks>Its request is complete from the beginning, so that the HTTP library keeps what it has received when the daemon ends.</remarks>
internal sealed class GrpcSubscription : DaemonConnection
{
    private static readonly byte[] End = new ServerMessage { End = new End() }.ToByteArray();
    private readonly AsyncServerStreamingCall<GrpcSubscription> _call;
    private byte[] _message = new byte[64 * 1024];
    private int _start;
    private int _end;
    private Task<bool>? _first;

    private GrpcSubscription(GrpcChannel channel, Metadata metadata, SubscribeRequest request)
    {
        var method = new Method<SubscribeRequest, GrpcSubscription>(
            MethodType.ServerStreaming, GameSync.Descriptor.FullName, "Subscribe", GrpcFields.MarshallerOf<SubscribeRequest>(),
            new Marshaller<GrpcSubscription>((_, _) => throw new NotSupportedException(), Read));
        _call = channel.CreateCallInvoker().AsyncServerStreamingCall(method, null, new CallOptions(metadata), request);
        _first = _call.ResponseStream.MoveNext(CancellationToken.None);
    }

    /// <summary>Subscribes. Returns when the daemon has a match.</summary>
    /// <param name="channel">Channel to the daemon.</param>
    /// <param name="metadata">Metadata of the call.</param>
    /// <param name="request">The subscription.</param>
    /// <param name="match">Waits for the match.</param>
    /// <param name="timeout">How long the daemon may take to accept the subscription.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BrokenConnectionException">Nothing answers.</exception>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="DaemonStoppingException">It is shutting down.</exception>
    public static Task<GrpcSubscription> OpenAsync(
        GrpcChannel channel, Metadata metadata, SubscribeRequest request, Task<Lazy<Match>> match, TimeSpan timeout,
        CancellationToken cancellationToken) =>
        GrpcFailure.OpenAsync(
            new GrpcSubscription(channel, metadata, request),
            async subscription =>
            {
                await subscription._call.ResponseHeadersAsync.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
                // If the daemon refuses, there may never be a match.
                if (await Task.WhenAny(subscription._first!, match).ConfigureAwait(false) != match)
                    await subscription._first!.ConfigureAwait(false);
                subscription.Begin(await match.ConfigureAwait(false), MatchHead.Of((await match.ConfigureAwait(false)).Value));
            },
            timeout, isSubscription: true, cancellationToken);

    /// <inheritdoc/>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellationToken)
    {
        try
        {
            var next = _first?.WaitAsync(cancellationToken) ?? _call.ResponseStream.MoveNext(cancellationToken);
            _first = null;
            return await next.ConfigureAwait(false) ? _message.AsMemory(_start, _end - _start) : End;
        }
        catch (RpcException e)
        {
            throw GrpcFailure.Of(e, cancellationToken, isSubscription: true);
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) => _call.Dispose();

    // The frame as the field of a ServerMessage, as all other connections have it.
    private GrpcSubscription Read(DeserializationContext context)
    {
        var length = context.PayloadLength;
        _end = FieldHead.MaxBytes + length;
        if (_message.Length < _end) _message = new byte[Math.Max(_end, 2 * _message.Length)];
        context.PayloadAsReadOnlySequence().CopyTo(_message.AsSpan(FieldHead.MaxBytes));
        _start = FieldHead.WriteBefore(_message.AsSpan(0, FieldHead.MaxBytes), ServerMessage.FrameFieldNumber, length);
        return this;
    }
}
