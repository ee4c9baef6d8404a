namespace Abathur.Testing;

/// <summary>A clock that stands still until a test moves it; timers fire while it is moved, in order.</summary>
public sealed class ManualClock : TimeProvider
{
    private static readonly TimeSpan Never = Timeout.InfiniteTimeSpan;
    private readonly object _gate = new();
    private readonly List<Timer> _timers = [];
    private long _nanoseconds = 1_000_000_000;

    public override long TimestampFrequency => 1_000_000_000;

    public override long GetTimestamp()
    {
        lock (_gate) return _nanoseconds;
    }

    /// <summary>By how much UTC has been set, forward or back; the monotonic clock knows nothing of it.</summary>
    public TimeSpan UtcWasSet { get; set; } = TimeSpan.FromDays(365);

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch.AddTicks(GetTimestamp() / 100) + UtcWasSet;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>How many wait for the clock.</summary>
    public int Waiters
    {
        get
        {
            lock (_gate) return _timers.Count;
        }
    }

    /// <summary>Whether something waits for the clock.</summary>
    public bool HasWaiter => Waiters > 0;

    /// <summary>Moves the clock, firing what comes due on the way.</summary>
    public void Advance(TimeSpan by)
    {
        var end = GetTimestamp() + (by.Ticks * TimeSpan.NanosecondsPerTick);
        while (true)
        {
            Timer? next;
            lock (_gate)
            {
                next = _timers.Where(timer => timer.Due <= end).MinBy(timer => timer.Due);
                _nanoseconds = Math.Max(_nanoseconds, next?.Due ?? end);
                if (next is not null) _timers.Remove(next);
            }
            if (next is null) return;
            next.Fire();
        }
    }

    private sealed class Timer(ManualClock clock, Action fire) : ITimer
    {
        private TimeSpan _period = Never;

        public long Due { get; private set; }

        public void Fire()
        {
            if (_period != Never) Change(_period, _period);
            fire();
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._gate)
            {
                clock._timers.Remove(this);
                _period = period;
                if (dueTime == Never) return true;
                Due = clock._nanoseconds + (dueTime.Ticks * TimeSpan.NanosecondsPerTick);
                clock._timers.Add(this);
            }
            return true;
        }

        public void Dispose() => Change(Never, Never);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
