using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>The daemon's socket. It has one subscription a connection; all requests share one that is opened with the first of
/// them.</summary>
internal sealed class SocketTransport(DaemonAddress address, ConnectOptions options) : DaemonTransport
{
    // What a daemon says that answers requests only on a connection that subscribes.
    private const string MustSubscribe = "the first line must be";
    private readonly SemaphoreSlim _opening = new(1);
    private RequestSession? _requests;
    private volatile bool _isDisposed;
    private volatile bool _mustSubscribe;

    /// <inheritdoc/>
    public override string Address { get; } = address.ToString();

    /// <inheritdoc/>
    public override async Task CheckAsync(CancellationToken cancellationToken) =>
        (await DaemonSocket.OpenAsync(address, options.ConnectTimeout, cancellationToken).ConfigureAwait(false)).Dispose();

    /// <inheritdoc/>
    public override async Task<DaemonConnection> SubscribeAsync(SubscribeRequest request, bool isJson, CancellationToken cancellationToken)
    {
        try
        {
            return await OpenAsync(new ClientMessage { Subscribe = request }, isJson, cancellationToken).ConfigureAwait(false);
        }
        catch (RequestException e) when ((request.Follow || request.RunId.Length > 0) && OldDaemon.Says(e))
        {
            throw OldDaemon.Refusal();
        }
    }

    /// <inheritdoc/>
    public override async Task<Result> RequestAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        var session = await SessionAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await session.RequestAsync(message, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (message.Matches is not null && OldDaemon.Says(e))
        {
            throw OldDaemon.Refusal();
        }
        catch (RequestException e) when (session.IsOver && e.Reason.StartsWith(MustSubscribe, StringComparison.Ordinal))
        {
            _mustSubscribe = true;
            session = await SessionAsync(cancellationToken).ConfigureAwait(false);
            return await session.RequestAsync(message, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public override async Task<Lazy<Match>> MatchAsync(string runId, CancellationToken cancellationToken)
    {
        var request = (RequestSession.Smallest with { RunId = runId }).ToRequest();
        using var connection = await SubscribeAsync(request, false, cancellationToken).ConfigureAwait(false);
        return connection.Match;
    }

    /// <inheritdoc/>
    internal override async Task<PublishStream> PublishAsync(Match? match, CancellationToken cancellationToken)
    {
        // The first line is short: game info and game data come as the first message.
        var isLong = match?.GameInfo is not null || match?.GameData is not null;
        var start = new PublishStart { Encoding = Sync.V1.Encoding.Proto, Match = isLong ? null : match };
        var connection = await OpenAsync(new ClientMessage { Publish = start }, false, cancellationToken).ConfigureAwait(false);
        var stream = new SocketPublishStream(connection);
        return isLong ? await stream.BeginAsync(match!, cancellationToken).ConfigureAwait(false) : stream;
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        // A session that is being opened is closed by who opens it.
        _isDisposed = true;
        Interlocked.Exchange(ref _requests, null)?.Dispose();
    }

    private Task<SocketConnection> OpenAsync(ClientMessage first, bool isJson, CancellationToken cancellationToken) =>
        SocketConnection.OpenAsync(address, first, isJson, options.ConnectTimeout, cancellationToken);

    private async Task<RequestSession> SessionAsync(CancellationToken cancellationToken)
    {
        await _opening.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(AbathurGame));
            if (_requests is { IsOver: false } known) return known;
            Interlocked.Exchange(ref _requests, null)?.Dispose();
            var session = _mustSubscribe
                ? await RequestSession.SubscribeAsync(address, options.ConnectTimeout, cancellationToken).ConfigureAwait(false)
                : await RequestSession.OpenAsync(address, options.ConnectTimeout, cancellationToken).ConfigureAwait(false);
            Interlocked.Exchange(ref _requests, session);
            if (_isDisposed) Dispose();
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(AbathurGame));
            return session;
        }
        finally
        {
            _opening.Release();
        }
    }
}
