namespace Abathur.Sync.Diagnostics;

/// <summary>A value that costs something to find out: found out on demand, and not again before it is some time old. Thread-safe.</summary>
/// <param name="find">Finds it out; one caller at a time.</param>
/// <param name="age">How old it may get.</param>
/// <param name="clock">Clock of that.</param>
internal sealed class CachedValue<T>(Func<T> find, TimeSpan age, TimeProvider clock)
{
    private readonly Lock _gate = new();
    private (T Value, long Found)? _last;

    /// <summary>The value, at most so old.</summary>
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
