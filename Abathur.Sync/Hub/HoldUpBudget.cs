namespace Abathur.Sync.Hub;

/// <summary>
/// How long readers with a watch token may delay a playback, all together. The budget refills within a minute. Thread-safe.
/// </summary>
internal sealed class HoldUpBudget
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    private readonly Lock _gate = new();
    private readonly TimeProvider _clock;
    private TimeSpan _left;
    private long _updated;

    /// <param name="perMinute">The budget for one minute.</param>
    /// <param name="clock">Clock of the waits.</param>
    public HoldUpBudget(TimeSpan perMinute, TimeProvider clock)
    {
        PerMinute = _left = perMinute;
        _clock = clock;
        _updated = clock.GetTimestamp();
    }

    /// <summary>
    /// Part of each wait that is not counted. Zero while the playback has a rate; at unlimited rate, waiting for readers sets the pace.
    /// </summary>
    public TimeSpan Grace { get; set; }

    /// <summary>The budget for one minute.</summary>
    public TimeSpan PerMinute { get; }

    /// <summary>How much longer a wait may take that has lasted for <paramref name="waited"/>.</summary>
    public TimeSpan Left(TimeSpan waited)
    {
        lock (_gate)
        {
            Update();
            return _left + Grace - waited;
        }
    }

    /// <summary>Counts a wait that is over.</summary>
    public void Spend(TimeSpan waited)
    {
        lock (_gate)
        {
            Update();
            if (waited > Grace) _left -= waited - Grace;
        }
    }

    private void Update()
    {
        var now = _clock.GetTimestamp();
        var back = _clock.GetElapsedTime(_updated, now) * (PerMinute / Minute);
        _left = TimeSpan.FromTicks(Math.Min(PerMinute.Ticks, (_left + back).Ticks));
        _updated = now;
    }
}
