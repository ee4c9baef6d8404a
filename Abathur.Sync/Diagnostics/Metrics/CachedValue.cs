namespace Abathur.Sync.Diagnostics.Metrics;

/// <summary>A cached value that is expensive to compute: computed on demand, and again only after its maximum age. Thread-safe.</summary>
/// <param name="find">Computes it; one caller at a time.</param>
/// <param name="age">Maximum age.</param>
/// <param name="clock">Clock of the age.</param>
internal sealed class CachedValue<T>(Func<T> find, TimeSpan age, TimeProvider clock)
{
    private readonly Lock _gate = new();
    private (T Value, long Found)? _last;

    /// <summary>The value, not older than the maximum age.</summary>
    public T Value
    {
        get
        {
            lock (_gate)
            {
                if (_last is { } last && clock.GetElapsedTime(last.Found) < age) return last.Value;
                var value = find();
                _last = (value, clock.GetTimestamp());
                return value;
            }
        }
    }
}
