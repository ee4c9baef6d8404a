namespace Abathur.Client;

/// <summary>Delays that double, with jitter, until a time limit.</summary>
internal sealed class Backoff(string address, TimeSpan timeout, TimeProvider clock)
{
    private static readonly TimeSpan FirstDelay = TimeSpan.FromMilliseconds(50), LongestDelay = TimeSpan.FromSeconds(2);
    private int _attempts;
    private long _started;
    private bool _wasConnected;

    /// <summary>Whether the last attempt failed.</summary>
    public bool IsRetrying => _attempts > 0;

    /// <summary>A frame was received: the next failure starts again with the shortest delay.</summary>
    public void Succeed() => (_attempts, _wasConnected) = (0, true);

    /// <summary>How long to wait before the next attempt.</summary>
    /// <exception cref="ConnectException">The time is up, and there never was a connection.</exception>
    /// <exception cref="ConnectionLostException">The time is up, and there was a connection before.</exception>
    public TimeSpan Fail(BrokenConnectionException error)
    {
        if (_attempts == 0) _started = clock.GetTimestamp();
        var left = timeout - clock.GetElapsedTime(_started);
        if (left <= TimeSpan.Zero)
        {
            throw _wasConnected
                ? new ConnectionLostException(address, error.Message, _attempts, error.InnerException)
                : new ConnectException(address, error.Message, error.InnerException);
        }
        var delay = FirstDelay * Math.Pow(2, Math.Min(_attempts++, 10));
        delay = (delay < LongestDelay ? delay : LongestDelay) * (0.5 + (0.5 * Random.Shared.NextDouble()));
        return delay < left ? delay : left;
    }
}
