namespace Abathur.Sync.Matches;

/// <summary>Events per second over the last second or so. Counted by one task, read by any.</summary>
internal sealed class RateMeter(TimeProvider clock)
{
    private readonly Lock _gate = new();
    private readonly Queue<long> _times = new();

    public void Count()
    {
        lock (_gate)
        {
            _times.Enqueue(clock.GetTimestamp());
            Trim();
        }
    }

    public double PerSecond()
    {
        lock (_gate)
        {
            Trim();
            return _times.Count;
        }
    }

    private void Trim()
    {
        while (_times.TryPeek(out var oldest) && clock.GetElapsedTime(oldest) > TimeSpan.FromSeconds(1)) _times.Dequeue();
    }
}
