using System.Collections.Concurrent;

namespace Abathur.Sync.Diagnostics;

/// <summary>
/// Keeps clients from flooding the log: of each kind of message one is written a second, and the next one that is written says how many were not. Thread-safe.
/// </summary>
/// <param name="write">Writes a message: the kind, and how many of that kind were omitted since the last one.</param>
/// <param name="clock">Clock of the seconds.</param>
/// <typeparam name="TKind">What makes messages alike.</typeparam>
internal sealed class RepeatedMessages<TKind>(Action<TKind, int> write, TimeProvider clock)
    where TKind : notnull
{
    /// <summary>Messages of a kind are written at most once in this time.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<TKind, Count> _counts = new();

    /// <summary>Whether a message is to be written now. False: it is counted, and <c>write</c> tells of it when the period is over.</summary>
    /// <param name="kind">Must come from a bounded set, such as the messages in the source code.</param>
    public bool Allows(TKind kind)
    {
        var count = _counts.GetOrAdd(kind, static (key, all) => new Count(() => all.Report(key), all.Clock), this);
        return count.Allows();
    }

    private TimeProvider Clock => clock;

    private void Report(TKind kind)
    {
        if (_counts[kind].Take() is > 0 and var leftOut) write(kind, leftOut);
    }

    /// <summary>Messages of one kind.</summary>
    private sealed class Count
    {
        private readonly Lock _gate = new();
        private readonly ITimer _timer;
        private bool _isRunning;
        private int _leftOut;

        public Count(Action report, TimeProvider clock) => _timer = clock.CreateTimer(_ => report(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        public bool Allows()
        {
            lock (_gate)
            {
                if (_isRunning)
                {
                    _leftOut++;
                    return false;
                }
                _isRunning = true;
                _timer.Change(Period, Timeout.InfiniteTimeSpan);
                return true;
            }
        }

        /// <summary>Ends the period: what was omitted in it. Where there was something, its message begins the next period.</summary>
        public int Take()
        {
            lock (_gate)
            {
                var leftOut = _leftOut;
                _leftOut = 0;
                _isRunning = leftOut > 0;
                if (_isRunning) _timer.Change(Period, Timeout.InfiniteTimeSpan);
                return leftOut;
            }
        }
    }
}
