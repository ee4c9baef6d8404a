using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>A way to a match, with what an <see cref="AbathurGame"/> needs of it. Packages derive from it, not users.
/// Thread-safe.</summary>
public abstract class DaemonTransport : IDisposable
{
    /// <summary>The address, without a token or a password.</summary>
    public abstract string Address { get; }

    /// <summary>The transport of an address.</summary>
    internal static DaemonTransport Of(DaemonAddress address, ConnectOptions options) =>
        address.IsGrpc ? new GrpcTransport(address, options) : new SocketTransport(address, options);

    /// <summary>Checks that a daemon is there.</summary>
    /// <exception cref="BrokenConnectionException">Nothing answers.</exception>
    public abstract Task CheckAsync(CancellationToken cancellationToken);

    /// <summary>Subscribes. Returns when the daemon has a match.</summary>
    /// <exception cref="BrokenConnectionException">Nothing answers.</exception>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="DaemonStoppingException">It is shutting down.</exception>
    public abstract Task<DaemonConnection> SubscribeAsync(SubscribeRequest request, bool isJson, CancellationToken cancellationToken);

    /// <summary>Sends a request and waits for its answer.</summary>
    /// <exception cref="BrokenConnectionException">Nothing answers, or the connection broke.</exception>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="DaemonStoppingException">It is shutting down.</exception>
    public abstract Task<Result> RequestAsync(ClientMessage message, CancellationToken cancellationToken);

    /// <summary>A match. Waits until there is one.</summary>
    /// <param name="runId">Its run; empty: the one that runs, else the next.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BrokenConnectionException">Nothing answers, or the connection broke.</exception>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="DaemonStoppingException">It is shutting down.</exception>
    public abstract Task<Lazy<Match>> MatchAsync(string runId, CancellationToken cancellationToken);

    /// <summary>Begins to publish.</summary>
    /// <param name="match">What is known of the match; null: nothing.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BrokenConnectionException">Nothing answers, or the connection broke.</exception>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="DaemonStoppingException">It is shutting down.</exception>
    internal virtual Task<PublishStream> PublishAsync(Match? match, CancellationToken cancellationToken) =>
        throw new RequestException(RequestErrorCode.Unimplemented, "publishing needs a connection to the daemon itself");

    /// <inheritdoc/>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes all connections.</summary>
    protected abstract void Dispose(bool disposing);
}
