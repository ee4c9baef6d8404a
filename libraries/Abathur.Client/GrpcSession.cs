using System.Buffers;
using System.Runtime.CompilerServices;
using Abathur.Sync.V1;
using Grpc.Core;
using Grpc.Net.Client;

namespace Abathur.Client;

/// <summary>A subscription over gRPC: a session, whose acknowledgements keep frames fresh although the library reads ahead.</summary>
internal sealed class GrpcSession : DaemonConnection
{
    private readonly AsyncDuplexStreamingCall<ClientMessage, GrpcSession> _call;
    private readonly ClientMessage _ack = new() { Ack = new Ack() };
    private byte[] _message = new byte[64 * 1024];
    private int _length;

    private GrpcSession(GrpcChannel channel, Metadata metadata)
    {
        // The memory of each message is used again: it is read before the next one.
        var method = new Method<ClientMessage, GrpcSession>(
            MethodType.DuplexStreaming, GameSync.Descriptor.FullName, "Session", GrpcFields.MarshallerOf<ClientMessage>(),
            new Marshaller<GrpcSession>((_, _) => throw new NotSupportedException(), Read));
        _call = channel.CreateCallInvoker().AsyncDuplexStreamingCall(method, null, new CallOptions(metadata));
    }

    /// <summary>Subscribes. Returns when the daemon has a match.</summary>
    /// <exception cref="BrokenConnectionException">Nothing answers.</exception>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="DaemonStoppingException">It is shutting down.</exception>
    public static Task<GrpcSession> OpenAsync(
        GrpcChannel channel, Metadata metadata, SubscribeRequest request, TimeSpan timeout, CancellationToken cancellationToken) =>
        GrpcFailure.OpenAsync(
            new GrpcSession(channel, metadata),
            async session =>
            {
                await session.SendAsync(new ClientMessage { Subscribe = request }, cancellationToken).ConfigureAwait(false);
                // They come when the daemon has accepted the subscription; the match may begin much later.
                await session._call.ResponseHeadersAsync.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
                var (kind, match) = ServerText.Split(await session.NextAsync(cancellationToken).ConfigureAwait(false));
                if (kind != ServerMessage.MessageOneofCase.Match) throw NotMatch(kind);
                session.Begin(match.Span);
            },
            timeout, isSubscription: true, cancellationToken);

    /// <inheritdoc/>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellationToken)
    {
        try
        {
            if (!await _call.ResponseStream.MoveNext(cancellationToken).ConfigureAwait(false))
                throw new BrokenConnectionException("the daemon closed the connection");
            return _message.AsMemory(0, _length);
        }
        catch (RpcException e)
        {
            throw GrpcFailure.Of(e, cancellationToken, isSubscription: true);
        }
    }

    /// <inheritdoc/>
    internal override async ValueTask SendAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        try
        {
            await _call.RequestStream.WriteAsync(message, cancellationToken).ConfigureAwait(false);
        }
        catch (RpcException e) when (cancellationToken.IsCancellationRequested)
        {
            throw GrpcFailure.Of(e, cancellationToken);
        }
        catch (Exception e) when (e is RpcException or IOException or InvalidOperationException)
        {
            // Why it is over is said when the next message is read.
            throw new BrokenConnectionException(e.Message, e);
        }
    }

    /// <inheritdoc/>
    public override ValueTask AcknowledgeAsync(ulong sequence, CancellationToken cancellationToken)
    {
        (_ack.Ack.Sequence, _ack.Ack.MatchIndex) = (sequence, MatchIndex);
        return SendAsync(_ack, cancellationToken);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) => _call.Dispose();

    private GrpcSession Read(DeserializationContext context)
    {
        _length = context.PayloadLength;
        if (_message.Length < _length) _message = new byte[Math.Max(_length, 2 * _message.Length)];
        context.PayloadAsReadOnlySequence().CopyTo(_message);
        return this;
    }
}
