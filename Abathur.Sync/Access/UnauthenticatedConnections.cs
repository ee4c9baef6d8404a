using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Access;

/// <summary>
/// Where tokens are in use: connections of which no request had a token yet. They share few places and end soon, so that clients without a
/// token cannot take the places of the others. Also those end that ask only for what needs no token: health, reflection, files of the page.
/// Thread-safe.
/// </summary>
/// <param name="tokens">The tokens in use.</param>
/// <param name="clock">Measures how long a connection is open.</param>
internal sealed class UnauthenticatedConnections(AccessTokens tokens, TimeProvider clock)
{
    /// <summary>Connections at once, of all listeners together.</summary>
    internal const int MaxConnections = 128;

    private int _open;

    /// <summary>How long one may be open: a little longer than a transport waits for the first message, and then says so.</summary>
    internal static TimeSpan TimeLimit { get; } = TimeSpan.FromSeconds(10);

    /// <summary>Connections that are open now.</summary>
    public int Open => Volatile.Read(ref _open);

    /// <summary>A middleware of connections, which counts each from its first byte, before TLS.</summary>
    public ConnectionDelegate Guard(ConnectionDelegate next)
    {
        if (!tokens.AreNeeded) return next;
        return async connection =>
        {
            await using var place = new Place(this, connection);
            if (!place.TryEnter())
            {
                connection.Abort();
                return;
            }
            connection.Features.Set(place);
            await next(connection);
        };
    }

    /// <summary>Whether a connection still waits for a token: only then is one of a request looked at here.</summary>
    /// <param name="features">Those of the connection, or of a request on it.</param>
    public static bool Waits(IFeatureCollection features) => features.Get<Place>() is { IsCounted: true };

    /// <summary>A request of this connection had a valid token.</summary>
    /// <param name="features">Those of the connection, or of a request on it.</param>
    public static void Authenticated(IFeatureCollection features) => features.Get<Place>()?.Leave();

    /// <summary>The place of one connection.</summary>
    private sealed class Place : IAsyncDisposable
    {
        private readonly UnauthenticatedConnections _all;
        private readonly ITimer _timer;
        private int _isCounted;

        public Place(UnauthenticatedConnections all, ConnectionContext connection)
        {
            _all = all;
            _timer = all.CreateTimer(connection);
        }

        public bool IsCounted => Volatile.Read(ref _isCounted) != 0;

        /// <summary>Counts the connection; false if there is no place.</summary>
        public bool TryEnter()
        {
            _isCounted = 1;
            if (Interlocked.Increment(ref _all._open) <= MaxConnections) return true;
            Leave();
            return false;
        }

        public void Leave()
        {
            if (Interlocked.Exchange(ref _isCounted, 0) == 0) return;
            Interlocked.Decrement(ref _all._open);
            _timer.Dispose();
        }

        public ValueTask DisposeAsync()
        {
            Leave();
            return _timer.DisposeAsync();
        }
    }

    private ITimer CreateTimer(ConnectionContext connection) =>
        clock.CreateTimer(
            _ => connection.Abort(new ConnectionAbortedException($"no token came within {TimeLimit.TotalSeconds:0} s")),
            null, TimeLimit, Timeout.InfiniteTimeSpan);
}
