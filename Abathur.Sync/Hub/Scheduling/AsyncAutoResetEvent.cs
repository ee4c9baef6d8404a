using System.Threading.Tasks.Sources;

namespace Abathur.Sync.Hub.Scheduling;

/// <summary>
/// An auto-reset event with one waiter at a time that allocates nothing per wait. A <see cref="Set()"/> without a waiter
/// is kept for the next one; several count as one.
/// </summary>
internal sealed class AsyncAutoResetEvent : IValueTaskSource<bool>, IDisposable
{
    private readonly Lock _gate = new();
    private readonly TimeProvider _clock;
    private readonly ITimer _timer;
    private readonly Action _goOn;
    private ManualResetValueTaskSourceCore<bool> _core = new() { RunContinuationsAsynchronously = true };
    private bool _set;
    private bool _waiting;
    private long _waitStart;
    private TimeSpan _timeout;

    public AsyncAutoResetEvent(TimeProvider clock)
    {
        _clock = clock;
        _goOn = GoOn;
        _timer = clock.CreateTimer(
            static state => ((AsyncAutoResetEvent)state!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Completes with true at the next <see cref="Set()"/>, with false when the timeout passes first.</summary>
    public ValueTask<bool> WaitAsync() => WaitAsync(Timeout.InfiniteTimeSpan);

    /// <inheritdoc cref="WaitAsync()"/>
    public ValueTask<bool> WaitAsync(TimeSpan timeout)
    {
        lock (_gate)
        {
            if (_set)
            {
                _set = false;
                return ValueTask.FromResult(true);
            }
            if (_waiting) throw new InvalidOperationException("the signal has a waiter already");
            _core.Reset();
            _waiting = true;
            _timeout = timeout;
            if (timeout != Timeout.InfiniteTimeSpan)
            {
                _waitStart = _clock.GetTimestamp();
                _timer.Change(timeout, Timeout.InfiniteTimeSpan);
            }
            return new ValueTask<bool>(this, _core.Version);
        }
    }

    /// <summary>Continues the waiter on the thread pool.</summary>
    public void Set()
    {
        if (!TryEndWait()) return;
        _core.RunContinuationsAsynchronously = true;
        _core.SetResult(true);
    }

    /// <summary>Continues the waiter on this thread, before this returns.</summary>
    public void SetInline()
    {
        if (TryEndWait()) GoOn();
    }

    /// <summary>Queues the continuation of the waiter.</summary>
    public void Set(SubscriberScheduler queue, bool isLossless)
    {
        if (TryEndWait()) queue.Add(this, isLossless);
    }

    /// <summary>Continues the waiter on one of the encoder threads.</summary>
    public void Set(EncoderThreads threads, TimeSpan cost, bool isSlow)
    {
        if (TryEndWait()) threads.Add(_goOn, cost, isSlow);
    }

    /// <summary>Continues a waiter on this thread after it was queued in a <see cref="SubscriberScheduler"/> or
    /// <see cref="EncoderThreads"/>.</summary>
    internal void GoOn()
    {
        _core.RunContinuationsAsynchronously = false;
        _core.SetResult(true);
    }

    public void Dispose() => _timer.Dispose();

    bool IValueTaskSource<bool>.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    /// <summary>Ends the wait. False if there is no waiter: the next wait completes at once.</summary>
    private bool TryEndWait()
    {
        lock (_gate)
        {
            _set = !_waiting;
            if (_set) return false;
            _waiting = false;
            return true;
        }
    }

    private void OnTimer()
    {
        lock (_gate)
        {
            if (!_waiting || _timeout == Timeout.InfiniteTimeSpan) return;
            var left = _timeout - _clock.GetElapsedTime(_waitStart);
            if (left > TimeSpan.Zero)
            {
                // The timer of an earlier wait, or one that fired slightly early.
                _timer.Change(left + TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan);
                return;
            }
            _waiting = false;
        }
        _core.RunContinuationsAsynchronously = true;
        _core.SetResult(false);
    }
}
