namespace Abathur.Sync.Hub;

/// <summary>
/// Readers that have something to take and wait for their turn to write it: those who may lose nothing before those who skip. A few go on at a time, and
/// what their writing leads to elsewhere in the thread pool comes before the next, so that a crowd of readers stands in nobody's way.
/// </summary>
/// <remarks>Thread-safe. A reader is in it at most once: it is added when its wait is over, and waits again only after its turn.</remarks>
internal sealed class SubscriberScheduler : IThreadPoolWorkItem
{
    /// <summary>So many lossless readers have their turn in a row before one of the others: at full speed there may always be one.</summary>
    internal const int LosslessInARow = 64;

    private readonly int _width;
    private readonly Lock _gate = new();
    private readonly Queue<AsyncAutoResetEvent> _lossless = new();
    private readonly Queue<AsyncAutoResetEvent> _others = new();
    private int _inARow;
    private int _running;

    /// <param name="width">How many go on at a time.</param>
    public SubscriberScheduler(int width) => _width = width;

    /// <summary>As many at a time as leave a processor to who reads what they write.</summary>
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

    /// <summary>One reader's turn, on this thread. For the thread pool.</summary>
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
