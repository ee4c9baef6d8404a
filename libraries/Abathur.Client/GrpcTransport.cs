using Abathur.Sync.V1;
using Grpc.Core;
using Grpc.Net.Client;

namespace Abathur.Client;

/// <summary>The daemon's gRPC: one channel for frames, requests and publishing.</summary>
internal sealed class GrpcTransport : DaemonTransport
{
    private readonly ConnectOptions _options;
    private readonly GrpcChannel _channel;
    private readonly GameSync.GameSyncClient _game;
    private readonly Metadata _metadata = [];

    public GrpcTransport(DaemonAddress address, ConnectOptions options)
    {
        Address = address.ToString();
        _options = options;
        if (address.Token.Length > 0) _metadata.Add("authorization", $"Bearer {address.Token}");
        var scheme = address.IsTls ? "https" : "http";
        // A Unix domain socket has no host name, and servers need one.
        var host = address.Host.Contains(':') ? $"[{address.Host}]" : address.Host;
        var place = address.Path is null ? $"{host}:{address.Port}" : "localhost";
        var trusted = address.IsTls ? DaemonSocket.ChainPolicyOf(address) : null;
        _channel = DaemonCalls.Open(
            new Uri($"{scheme}://{place}"), address.Path, trusted, options.ConnectTimeout, MessageReceiver.MaxMessageBytes);
        _game = new GameSync.GameSyncClient(_channel);
    }

    /// <inheritdoc/>
    public override string Address { get; }

    /// <inheritdoc/>
    public override async Task CheckAsync(CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(_options.ConnectTimeout);
        try
        {
            using var call = _game.GetStatusAsync(new GetStatusRequest(), _metadata, cancellationToken: limit.Token);
            await call.ResponseAsync.ConfigureAwait(false);
        }
        catch (RpcException e) when (GrpcFailure.IsRefusal(e))
        {
            // A daemon has answered. Calls that need a token say so.
        }
        catch (RpcException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw GrpcFailure.Silence(_options.ConnectTimeout);
        }
        catch (RpcException e)
        {
            throw GrpcFailure.Of(e, cancellationToken);
        }
    }

    /// <inheritdoc/>
    public override async Task<DaemonConnection> SubscribeAsync(SubscribeRequest request, bool isJson, CancellationToken cancellationToken)
    {
        if (request.Policy == Policy.Lockstep || request.Credits > 0 || request.Follow)
            return await GrpcSession.OpenAsync(_channel, _metadata, request, _options.ConnectTimeout, cancellationToken)
                .ConfigureAwait(false);
        using var asking = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            var match = MatchAsync(request.RunId, asking.Token);
            return await GrpcSubscription.OpenAsync(_channel, _metadata, request, match, _options.ConnectTimeout, cancellationToken)
                .ConfigureAwait(false);
        }
        finally
        {
            // When a subscription is refused, the match is not needed.
            await asking.CancelAsync().ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public override async Task<Result> RequestAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        try
        {
            return await _game.AnswerAsync(message, new CallOptions(_metadata, cancellationToken: cancellationToken)).ConfigureAwait(false);
        }
        catch (RpcException e)
        {
            if (message.Matches is not null && e.StatusCode == StatusCode.Unimplemented) throw OldDaemon.Refusal();
            throw GrpcFailure.Of(e, cancellationToken);
        }
    }

    /// <inheritdoc/>
    public override async Task<Lazy<Match>> MatchAsync(string runId, CancellationToken cancellationToken)
    {
        try
        {
            var request = new GetMatchRequest { Wait = true, RunId = runId };
            using var call = _game.GetMatchAsync(request, _metadata, cancellationToken: cancellationToken);
            var match = await call.ResponseAsync.ConfigureAwait(false);
            return new Lazy<Match>(() => match);
        }
        catch (RpcException e)
        {
            throw GrpcFailure.Of(e, cancellationToken);
        }
    }

    /// <inheritdoc/>
    internal override async Task<PublishStream> PublishAsync(Match? match, CancellationToken cancellationToken)
    {
        var stream = await GrpcPublishStream.OpenAsync(_channel, _metadata, _options.ConnectTimeout, cancellationToken)
            .ConfigureAwait(false);
        return match is null ? stream : await stream.BeginAsync(match, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) => _channel.Dispose();
}
