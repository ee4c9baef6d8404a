namespace Abathur.Sync.Hosting;

/// <summary>Counts connections of all listeners of a server against one limit. Thread-safe.</summary>
/// <param name="maxConnections">Connections that may be open at once.</param>
internal sealed class ConnectionLimit(int maxConnections)
{
    private int _open;

    /// <summary>Connections that are open now.</summary>
    public int Open => Volatile.Read(ref _open);

    /// <summary>Counts one more connection. False if the limit is reached.</summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _open) <= maxConnections) return true;
        Interlocked.Decrement(ref _open);
        return false;
    }

    /// <summary>Called when a counted connection is closed and its descriptor is free.</summary>
    public void Leave() => Interlocked.Decrement(ref _open);
}
