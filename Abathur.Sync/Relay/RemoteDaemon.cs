using System.Security.Cryptography;
using Abathur.Client;
using Abathur.Sync.Hub;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Status = Abathur.Sync.V1.Status;

namespace Abathur.Sync.Relay;

/// <summary>A daemon elsewhere, by its gRPC.</summary>
internal sealed class RemoteDaemon : IRelayedDaemon, IDisposable
{
    private const int MaxMessageBytes = 64 * 1024 * 1024;

    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(10), RequestTimeout = TimeSpan.FromSeconds(30);
    private readonly GrpcChannel _channel;
    private readonly GameSync.GameSyncClient _game;
    private readonly Metadata _metadata = [];

    /// <param name="address">Where it is.</param>
    /// <param name="token">The token to send; null: none.</param>
    /// <param name="caPath">File with the trusted root certificates; null: those of the system.</param>
    /// <exception cref="RelayException">The file cannot be used.</exception>
    public RemoteDaemon(GrpcAddress address, string? token, string? caPath)
    {
        Place = address.ToString();
        if (token is not null) _metadata.Add("authorization", $"Bearer {token}");
        try
        {
            var trusted = address.IsTls && caPath is not null ? TrustedRoots.Read(caPath) : null;
            _channel = DaemonCalls.Open(address.Uri, address.Path, trusted, ConnectTimeout, MaxMessageBytes);
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
        {
            throw new RelayException($"the certificates in {caPath} cannot be used: {e.Message}", e);
        }
        _game = new GameSync.GameSyncClient(_channel);
    }

    /// <inheritdoc/>
    public string Place { get; }

    /// <inheritdoc/>
    public async Task<Match> MatchAsync(CancellationToken cancellationToken)
    {
        // Whether it is there, before a wait that may be long.
        await StatusAsync("", cancellationToken);
        return await CallAsync(
            async options => await _game.GetMatchAsync(new GetMatchRequest { Wait = true }, options), new CallOptions(_metadata),
            cancellationToken);
    }

    /// <inheritdoc/>
    public async Task<Status> StatusAsync(string runId, CancellationToken cancellationToken) =>
        (await AnswerAsync(new ClientMessage { Status = new GetStatusRequest { RunId = runId } }, cancellationToken)).Status;

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> ReadAsync(
        SubscribeRequest request, Func<RelayedFrame, CancellationToken, ValueTask> take, CancellationToken cancellationToken)
    {
        using var call = _game.Subscribe(request, new CallOptions(_metadata, cancellationToken: cancellationToken));
        while (true)
        {
            try
            {
                if (!await call.ResponseStream.MoveNext(cancellationToken))
                    return new SubscriptionEnd(SubscriptionEndReason.MatchOver, "the match is over");
            }
            catch (RpcException e) when (!cancellationToken.IsCancellationRequested && EndOf(e) is { } end)
            {
                return end;
            }
            catch (RpcException e)
            {
                throw Failure(e, cancellationToken);
            }
            var frame = call.ResponseStream.Current;
            // The same bytes: the daemon writes a frame as this library does.
            await take(new RelayedFrame(frame.Sequence, frame.GameLoop, frame.Keyframe, frame.ToByteArray()), cancellationToken);
        }
    }

    /// <inheritdoc/>
    public Task<Result> AnswerAsync(ClientMessage request, CancellationToken cancellationToken) => CallAsync(
        options => _game.AnswerAsync(request, options), new CallOptions(_metadata, DateTime.UtcNow + RequestTimeout), cancellationToken);

    /// <inheritdoc/>
    public void Dispose() => _channel.Dispose();

    private static async Task<T> CallAsync<T>(Func<CallOptions, Task<T>> call, CallOptions options, CancellationToken cancellationToken)
    {
        try
        {
            return await call(options.WithCancellationToken(cancellationToken));
        }
        catch (RpcException e)
        {
            throw Failure(e, cancellationToken);
        }
    }

    /// <summary>How a subscription ended; null: it was refused, or the connection broke.</summary>
    private static SubscriptionEnd? EndOf(RpcException e)
    {
        if (DaemonCalls.IsStopping(e)) return new SubscriptionEnd(SubscriptionEndReason.Stopping, e.Status.Detail);
        return e.StatusCode switch
        {
            StatusCode.ResourceExhausted => new SubscriptionEnd(SubscriptionEndReason.SlowConsumer, e.Status.Detail),
            StatusCode.Aborted => new SubscriptionEnd(SubscriptionEndReason.SourceLost, e.Status.Detail),
            StatusCode.DataLoss => new SubscriptionEnd(SubscriptionEndReason.BadFrame, e.Status.Detail),
            _ => null,
        };
    }

    private static Exception Failure(RpcException e, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested) return new OperationCanceledException(e.Message, e, cancellationToken);
        var isBroken = e.StatusCode is StatusCode.Unavailable or StatusCode.DeadlineExceeded
            || e.Status.DebugException is IOException or HttpRequestException;
        return isBroken && !DaemonCalls.IsStopping(e)
            ? new DaemonLostException(e.Status.DebugException?.GetBaseException().Message ?? e.Status.Detail, e)
            : new RefusedException((RequestStatus)(int)e.StatusCode, e.Status.Detail);
    }
}
