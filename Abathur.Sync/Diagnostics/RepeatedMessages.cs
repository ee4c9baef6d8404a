using System.Collections.Concurrent;

namespace Abathur.Sync.Diagnostics;

/// <summary>
/// Keeps clients from flooding the log: at most one message of each kind is written a second, and the next one says how many were omitted.
/// Thread-safe.
/// </summary>
/// <param name="write">Writes a message: the kind, and how many of that kind were omitted since the last one.</param>
/// <param name="clock">Clock of the limit.</param>
/// <typeparam name="TKind">What similar messages have in common.</typeparam>
internal sealed class RepeatedMessages<TKind>(Action<TKind, int> write, TimeProvider clock)
    where TKind : notnull
{
    /// <summary>Messages of a kind are written at most once in this time.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<TKind, Count> _counts = new();

    /// <summary>Whether a message is to be written now. False: it is counted, and <c>write</c> reports the count at the end of the
    /// period.</summary>
    /// <param name="kind">Must come from a bounded set, such as the messages in the source code.</param>
    public bool Allows(TKind kind)
    {
        var count = _counts.GetOrAdd(kind, static (key, all) => new Count(() => all.Report(key), all.Clock), this);
        return count.Allows();
    }

    private TimeProvider Clock => clock;

    private void Report(TKind kind)
    {
        if (_counts[kind].Take() is > 0 and var omitted) write(kind, omitted);
    }

    /// <summary>Messages of one kind.</summary>
    private sealed class Count
    {
        private readonly Lock _gate = new();
        private readonly ITimer _timer;
        private bool _isRunning;
        private int _omitted;

        public Count(Action report, TimeProvider clock) =>
            _timer = clock.CreateTimer(_ => report(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        public bool Allows()
        {
            lock (_gate)
            {
                if (_isRunning)
                {
                    _omitted++;
                    return false;
                }
                _isRunning = true;
                _timer.Change(Period, Timeout.InfiniteTimeSpan);
                return true;
            }
        }

        /// <summary>Ends the period and returns the number of omitted messages. If it is not 0, the message about them begins the next
        /// period.</summary>
        public int Take()
        {
            lock (_gate)
            {
                var omitted = _omitted;
                _omitted = 0;
                _isRunning = omitted > 0;
                if (_isRunning) _timer.Change(Period, Timeout.InfiniteTimeSpan);
                return omitted;
            }
        }
    }
}
