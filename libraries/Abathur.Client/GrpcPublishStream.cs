using Abathur.Sync.V1;
using Grpc.Core;
using Grpc.Net.Client;

namespace Abathur.Client;

/// <summary>Publishing over gRPC: a stream of <c>PublishRequest</c>.</summary>
internal sealed class GrpcPublishStream : PublishStream
{
    // Initial metadata of a daemon that has accepted the publication.
    private const string AcceptedKey = "abathur-publishing";

    private static readonly Method<GrpcFields.Message, PublishResult> Publish = new(
        MethodType.ClientStreaming, GameSync.Descriptor.FullName, "Publish", GrpcFields.OneField,
        GrpcFields.MarshallerOf<PublishResult>());

    private readonly AsyncClientStreamingCall<GrpcFields.Message, PublishResult> _call;
    private readonly GrpcFields.Message _message = new();

    private GrpcPublishStream(AsyncClientStreamingCall<GrpcFields.Message, PublishResult> call) => _call = call;

    /// <summary>Begins to publish. Returns when the daemon has accepted it.</summary>
    /// <exception cref="BrokenConnectionException">Nothing answers.</exception>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="DaemonStoppingException">It is shutting down.</exception>
    public static Task<GrpcPublishStream> OpenAsync(
        GrpcChannel channel, Metadata metadata, TimeSpan timeout, CancellationToken cancellationToken) =>
        GrpcFailure.OpenAsync(
            new GrpcPublishStream(channel.CreateCallInvoker().AsyncClientStreamingCall(Publish, null, new CallOptions(metadata))),
            async stream =>
            {
                var headers = await stream._call.ResponseHeadersAsync.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
                // Without it the call is over, and the status says why.
                if (headers.GetValue(AcceptedKey) is null)
                    await stream._call.ResponseAsync.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
            },
            timeout, isSubscription: false, cancellationToken);

    /// <inheritdoc/>
    public override async ValueTask SendAsync(int field, ReadOnlyMemory<byte> value, CancellationToken cancellationToken)
    {
        (_message.Field, _message.Value) = (field, value);
        try
        {
            await _call.RequestStream.WriteAsync(_message, cancellationToken).ConfigureAwait(false);
        }
        catch (RpcException e) when (cancellationToken.IsCancellationRequested)
        {
            throw GrpcFailure.Of(e, cancellationToken);
        }
        catch (Exception e) when (e is RpcException or IOException or InvalidOperationException)
        {
            // The daemon has ended the call, and has said why.
            await FinishAsync(cancellationToken).ConfigureAwait(false);
            throw new BrokenConnectionException(e.Message, e);
        }
    }

    /// <inheritdoc/>
    public override async Task<ulong> FinishAsync(CancellationToken cancellationToken)
    {
        try
        {
            if (!_call.ResponseAsync.IsCompleted) await _call.RequestStream.CompleteAsync().ConfigureAwait(false);
            return (await _call.ResponseAsync.WaitAsync(cancellationToken).ConfigureAwait(false)).Frames;
        }
        catch (RpcException e)
        {
            throw GrpcFailure.Of(e, cancellationToken);
        }
    }

    /// <inheritdoc/>
    public override void Dispose() => _call.Dispose();
}
