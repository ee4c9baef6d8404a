namespace Abathur.Sync.Hub.Scheduling;

/// <summary>
/// Schedules the writes of readers that have a frame to send: lossless readers before skipping ones. Only a few run at a time, and other
/// work of the thread pool runs before the next, so that many readers do not block the thread pool.
/// </summary>
/// <remarks>Thread-safe. A reader is queued at most once: it is added when its wait is over, and waits again only after it has
/// run.</remarks>
internal sealed class SubscriberScheduler : IThreadPoolWorkItem
{
    /// <summary>Lossless readers that run in a row before one of the others, because at full speed there may always be one.</summary>
    internal const int LosslessInARow = 64;

    private readonly int _width;
    private readonly Lock _gate = new();
    private readonly Queue<AsyncAutoResetEvent> _lossless = new();
    private readonly Queue<AsyncAutoResetEvent> _others = new();
    private int _inARow;
    private int _running;

    /// <param name="width">How many run at a time.</param>
    public SubscriberScheduler(int width) => _width = width;

    /// <summary>Leaves one processor to the clients that read what is written.</summary>
    public SubscriberScheduler()
        : this(Math.Max(1, Environment.ProcessorCount - 1))
    {
    }

    /// <summary>Adds a reader whose wait is over.</summary>
    public void Add(AsyncAutoResetEvent reader, bool isLossless)
    {
        lock (_gate)
        {
            (isLossless ? _lossless : _others).Enqueue(reader);
            if (_running >= _width) return;
            _running++;
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Runs one reader on this thread. For the thread pool.</summary>
    public void Execute()
    {
        AsyncAutoResetEvent? reader;
        lock (_gate)
        {
            reader = Next();
            if (reader is null)
            {
                _running--;
                return;
            }
        }
        reader.GoOn();
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    private AsyncAutoResetEvent? Next()
    {
        if ((_inARow < LosslessInARow || _others.Count == 0) && _lossless.TryDequeue(out var reader))
        {
            _inARow++;
            return reader;
        }
        _inARow = 0;
        return _others.TryDequeue(out reader) ? reader : null;
    }
}
