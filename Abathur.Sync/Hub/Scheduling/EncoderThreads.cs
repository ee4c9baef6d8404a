using System.Runtime.CompilerServices;

namespace Abathur.Sync.Hub.Scheduling;

/// <summary>
/// The threads that encode all streams of the process: some for fast streams, the cheapest first, and one of low priority for slow streams.
/// An expensive encoding therefore delays neither the source, nor cheaper streams, nor the threads that send.
/// </summary>
/// <remarks>Thread-safe. A stream queues once at a time, and encodes one frame per turn.</remarks>
internal sealed class EncoderThreads
{
    [ThreadStatic]
    private static Lane? _currentLane;

    private readonly Lane _fast;
    private readonly Lane _slow;

    /// <param name="fastThreads">Threads for fast streams.</param>
    public EncoderThreads(int fastThreads)
    {
        _fast = new Lane("encoder", fastThreads, isBackground: false);
        _slow = new Lane("slow encoder", 1, isBackground: true);
    }

    /// <summary>The threads of the process: one processor is left for sending.</summary>
    public static EncoderThreads Shared { get; } = new(Math.Max(1, Environment.ProcessorCount - 1));

    /// <summary>Whether the calling thread encodes streams of this kind.</summary>
    public bool IsCurrent(bool isSlow) => _currentLane == (isSlow ? _slow : _fast);

    /// <summary>Runs <paramref name="work"/> on one of the threads.</summary>
    /// <param name="work">Encodes one frame of a stream.</param>
    /// <param name="cost">Mean time that the stream has taken for a frame.</param>
    /// <param name="isSlow">Whether it is a slow stream.</param>
    public void Add(Action work, TimeSpan cost, bool isSlow) => (isSlow ? _slow : _fast).Add(work, cost);

    /// <summary>Awaiting the result continues the caller on one of the threads.</summary>
    /// <param name="cost">As for <see cref="Add"/>.</param>
    /// <param name="isSlow">As for <see cref="Add"/>.</param>
    public Turn TakeTurn(TimeSpan cost, bool isSlow) => new(this, cost, isSlow);

    /// <summary>A wait for a thread.</summary>
    internal readonly struct Turn(EncoderThreads threads, TimeSpan cost, bool isSlow) : ICriticalNotifyCompletion
    {
        /// <summary>Always false: even on such a thread, cheaper streams go first.</summary>
        public bool IsCompleted => false;

        public Turn GetAwaiter() => this;

        public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

        public void UnsafeOnCompleted(Action continuation) => threads.Add(continuation, cost, isSlow);

        public void GetResult()
        {
        }
    }

    /// <summary>Threads that serve one queue. They are started with the first stream, and end with the process.</summary>
    private sealed class Lane(string name, int threads, bool isBackground)
    {
        private readonly PriorityQueue<Action, (TimeSpan Cost, long Order)> _waiting = new();
        private long _order;
        private int _started;
        private int _idle;

        public void Add(Action work, TimeSpan cost)
        {
            lock (_waiting)
            {
                _waiting.Enqueue(work, (cost, _order++));
                if (_idle == 0 && _started < threads) Start();
                else Monitor.Pulse(_waiting);
            }
        }

        private void Start()
        {
            _started++;
            new Thread(Run) { Name = name, IsBackground = true }.Start();
        }

        private void Run()
        {
            _currentLane = this;
            if (isBackground) LowPriorityThread.Enter();
            while (true)
            {
                Action work;
                lock (_waiting)
                {
                    while (_waiting.Count == 0)
                    {
                        _idle++;
                        Monitor.Wait(_waiting);
                        _idle--;
                    }
                    work = _waiting.Dequeue();
                }
                work();
            }
        }
    }
}
