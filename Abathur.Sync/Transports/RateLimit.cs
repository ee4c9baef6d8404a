namespace Abathur.Sync.Transports;

/// <summary>How often something may happen: as often as in a second at once, and then at that rate. Thread-safe.</summary>
/// <param name="perSecond">The rate.</param>
/// <param name="clock">Clock of the seconds.</param>
internal sealed class RateLimit(int perSecond, TimeProvider clock)
{
    private readonly Lock _gate = new();
    private double _left = perSecond;
    private long _updated = clock.GetTimestamp();

    /// <summary>Whether it may happen now, and counts it then.</summary>
    public bool TryTake()
    {
        lock (_gate)
        {
            var now = clock.GetTimestamp();
            _left = Math.Min(perSecond, _left + clock.GetElapsedTime(_updated, now).TotalSeconds * perSecond);
            _updated = now;
            if (_left < 1) return false;
            _left--;
            return true;
        }
    }
}
