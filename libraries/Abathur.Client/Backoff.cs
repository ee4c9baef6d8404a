namespace Abathur.Client;

/// <summary>Delays that double, with jitter, until a time limit.</summary>
/// <param name="address">Of the daemon.</param>
/// <param name="timeout">For connecting again, or to a daemon that is there and does not answer.</param>
/// <param name="wait">For a daemon that is not there yet.</param>
/// <param name="clock">Measures them.</param>
internal sealed class Backoff(string address, TimeSpan timeout, TimeSpan wait, TimeProvider clock)
{
    private const string HowToStart =
        " Is the daemon running? `abathur play MATCH.mcap` starts one; ConnectOptions.Wait waits for one that starts later";

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
        var isFirst = error.IsNothingThere && !_wasConnected;
        var left = (isFirst ? wait : timeout) - clock.GetElapsedTime(_started);
        if (left <= TimeSpan.Zero)
        {
            if (_wasConnected) throw new ConnectionLostException(address, error.Message, _attempts, error.InnerException);
            if (isFirst && error.Advice is { } advice)
                throw new ConnectException(address, error.Message, error.InnerException, $" {advice}");
            throw isFirst
                ? new ConnectException(address, "nothing listens there", error.InnerException, HowToStart)
                : new ConnectException(address, error.Message, error.InnerException);
        }
        var delay = FirstDelay * Math.Pow(2, Math.Min(_attempts++, 10));
        delay = (delay < LongestDelay ? delay : LongestDelay) * (0.5 + (0.5 * Random.Shared.NextDouble()));
        return delay < left ? delay : left;
    }
}
