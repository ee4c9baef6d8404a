using System.Buffers;
using System.Runtime.CompilerServices;
using Abathur.Columns;
using Abathur.Compression;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.V1;

namespace Abathur.Sync.Matches.History;

/// <summary>
/// Keeps the frames of the current match as segments of a stream of columns, each a keyframe and its delta frames. Frames are encoded after
/// a bounded queue, and if no reader waits for them only after <see cref="Deferral"/>, so that live subscribers have the processor first.
/// What is kept has no gap: where a frame cannot be kept, or the game loop goes back, it begins again. Thread-safe.
/// </summary>
internal sealed class MatchHistory : IDisposable
{
    /// <summary>Frames of a segment: 10 s of a game that is observed in every loop.</summary>
    public const int SegmentFrames = 224;

    /// <summary>Frames, and their bytes, that may wait to be encoded. With more, the history begins again.</summary>
    public const int MaxQueuedFrames = 256, MaxQueuedBytes = 8 * 1024 * 1024;

    /// <summary>How long a frame waits for the sending of itself. The next frame, or a reader that has read all others, ends the
    /// wait.</summary>
    private static readonly TimeSpan Deferral = TimeSpan.FromMilliseconds(10);

    /// <summary>Bytes of records at which a segment is closed before it has all its frames. Its memory, and that of its compression, which
    /// may take a little more, come from the pool.</summary>
    private const int MaxSegmentBytes = BlockPool.MaxBytes - 8 * 1024;

    // Level 9 takes 12 MB for its tables, level 5 a third of it, for 2 % more bytes.
    private const int ZstdLevel = 5, BrotliQuality = 5;

    private readonly Lock _gate = new();
    private readonly long _maxBytes;
    private readonly EncoderThreads _threads;
    private readonly TimeProvider _clock;
    private readonly Action _encode;
    private readonly AsyncAutoResetEvent _room;
    private readonly ITimer _deferral;
    private readonly Queue<(SharedFrame Frame, int Round)> _queue = new();
    private ColumnsEncoder? _encoder = new();
    private ArrayBufferWriter<byte> _payload = new();
    private readonly IPayloadCompressor _compressor;
    private readonly bool _isZstd = PayloadCompression.Zstd.IsAvailable;
    private HistorySegment? _first;
    private HistorySegment? _last;
    private TimeSpan _meanEncoding;
    private long _queuedBytes;
    private long _bytes;
    private long _frames;
    private int _round;
    private bool _hasGap = true;
    private bool _isEncoding;
    private bool _isDeferred;
    private bool _isAwaited;
    private bool _isComplete;
    private bool _isDisposed;
    private uint? _firstGameLoop;
    private uint _lastGameLoop;

    /// <param name="maxBytes">Memory for segments; the oldest are dropped first.</param>
    /// <param name="threads">Encode the frames.</param>
    /// <param name="clock">Clock of times.</param>
    public MatchHistory(long maxBytes, EncoderThreads threads, TimeProvider clock)
    {
        _maxBytes = maxBytes;
        _threads = threads;
        _clock = clock;
        _encode = Encode;
        _room = new AsyncAutoResetEvent(clock);
        _deferral = clock.CreateTimer(_ => EndDeferral(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _compressor = _isZstd ? PayloadCompression.Zstd.Create(ZstdLevel) : PayloadCompression.Brotli.Create(BrotliQuality);
    }

    /// <summary>Asked before a segment is begun, with the memory of those that there are, on an encoder thread: how much they may have.
    /// Null: always the same.</summary>
    public Func<long, long>? MakeRoom { get; init; }

    /// <summary>Memory of what is kept.</summary>
    public long Bytes
    {
        get
        {
            lock (_gate) return _bytes;
        }
    }

    /// <summary>Raised when frames were added, and when none is pending any more, on an encoder thread.</summary>
    public event Action? Grown;

    /// <summary>First and last game loop that are kept or about to be; null without frames.</summary>
    public (uint First, uint Last)? Range
    {
        get
        {
            lock (_gate) return _firstGameLoop is { } first ? (first, _lastGameLoop) : null;
        }
    }

    /// <summary>Whether frames wait to be encoded.</summary>
    public bool HasPending
    {
        get
        {
            lock (_gate) return _isEncoding;
        }
    }

    /// <summary>What is kept.</summary>
    public HistoryStatus Describe()
    {
        lock (_gate)
        {
            var status = new HistoryStatus { Frames = (ulong)_frames, Bytes = (ulong)_bytes };
            if (_firstGameLoop is not { } first) return status;
            status.FirstGameLoop = first;
            status.LastGameLoop = _lastGameLoop;
            return status;
        }
    }

    /// <summary>Waits until a frame can be added without a gap. For sources that can wait; one task waits at a time.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WaitForRoomAsync()
    {
        while (IsFull()) await _room.WaitAsync();
    }

    /// <summary>Adds a published frame. Frames are added in order. Never waits.</summary>
    public void Add(SharedFrame frame)
    {
        lock (_gate)
        {
            if (_isDisposed || _isComplete) return;
            if (IsFull())
            {
                Interrupt();
                return;
            }
            var goesBack = !_hasGap && frame.GameLoop < _lastGameLoop;
            if (goesBack) _round++;
            if (_hasGap || goesBack) _firstGameLoop = frame.GameLoop;
            _hasGap = false;
            _lastGameLoop = frame.GameLoop;
            frame.Retain();
            _queue.Enqueue((frame, _round));
            _queuedBytes += frame.Observation.Length;
            if (!_isEncoding)
            {
                _isEncoding = _isDeferred = true;
                if (!_isAwaited)
                {
                    _deferral.Change(Deferral, Timeout.InfiniteTimeSpan);
                    return;
                }
            }
            _isAwaited = false;
        }
        EndDeferral();
    }

    /// <summary>Says that a frame is not added: what is kept before it is dropped with the next frame.</summary>
    public void Interrupt()
    {
        lock (_gate)
        {
            if (!_hasGap) _round++;
            _hasGap = true;
            _firstGameLoop = null;
        }
    }

    private bool IsFull()
    {
        lock (_gate) return !_isDisposed && (_queue.Count >= MaxQueuedFrames || _queuedBytes > MaxQueuedBytes);
    }

    /// <summary>Starts reading at the oldest frame, or at the first one at or after a game loop.</summary>
    public HistoryCursor Read(uint? gameLoop) => new(this, gameLoop);

    /// <summary>Says that no frames follow: keeps what there is in the least memory. Can be read on.</summary>
    public void Complete()
    {
        lock (_gate)
        {
            if (_isComplete || _isDisposed) return;
            _isComplete = true;
            if (!_isEncoding) CloseAll();
        }
        EndDeferral();
    }

    public void Dispose()
    {
        lock (_gate)
        {
            if (_isDisposed) return;
            _isDisposed = true;
            while (_queue.TryDequeue(out var waiting)) waiting.Frame.Release();
            if (_isDeferred) _isDeferred = _isEncoding = false;
            if (!_isEncoding) Release();
        }
    }

    /// <summary>Says that a reader has read all there is: what waits is encoded now, or else the next frame when it is added.</summary>
    internal void Await()
    {
        lock (_gate) _isAwaited = !_isDeferred;
        EndDeferral();
    }

    /// <summary>The first segment to read, which may be null yet.</summary>
    /// <param name="gameLoop">The segment must have this game loop or a later one; null: the oldest segment.</param>
    internal HistorySegment? Find(uint? gameLoop)
    {
        lock (_gate)
        {
            var segment = _first;
            // Segments of an earlier round are about to be dropped.
            while (segment is not null && (segment.Round != _round || segment.LastGameLoop < gameLoop)) segment = segment.Next;
            return segment;
        }
    }

    /// <summary>The segment behind another one; null if it does not exist yet.</summary>
    internal HistorySegment? Next(HistorySegment segment)
    {
        lock (_gate) return segment.Next;
    }

    /// <summary>The records of a segment: plain ones, which the caller releases, with their bytes so far; or compressed ones. Neither if
    /// they were dropped.</summary>
    internal (SharedBuffer? Plain, int Length, ReadOnlyMemory<byte> Compressed) Content(HistorySegment segment)
    {
        lock (_gate) return (segment.RetainPlain(), segment.Length, segment.Compressed);
    }

    private void EndDeferral()
    {
        lock (_gate)
        {
            if (!_isDeferred) return;
            _isDeferred = false;
            _deferral.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
        Schedule();
    }

    private void Schedule() => _threads.Add(_encode, _meanEncoding, isSlow: false);

    /// <summary>Encodes one frame. Runs on an encoder thread, one at a time.</summary>
    private void Encode()
    {
        if (Next() is var (frame, round))
        {
            var started = _clock.GetTimestamp();
            Keep(frame, round);
            _meanEncoding += (_clock.GetElapsedTime(started) - _meanEncoding) / 8;
            frame.Release();
        }
        _room.Set();
        if (Continues()) Schedule();
        Grown?.Invoke();
    }

    private (SharedFrame Frame, int Round)? Next()
    {
        lock (_gate)
        {
            if (!_queue.TryDequeue(out var next)) return null;
            _queuedBytes -= next.Frame.Observation.Length;
            return next;
        }
    }

    private bool Continues()
    {
        lock (_gate)
        {
            _isEncoding = _queue.Count > 0;
            if (!_isEncoding && _isDisposed) Release();
            else if (!_isEncoding && _isComplete) CloseAll();
            return _isEncoding;
        }
    }

    /// <summary>Compresses the newest segment, and gives back what only encoding needs. Under the lock: nothing is appended.</summary>
    private void CloseAll()
    {
        if (_encoder is null) return;
        if (_last?.RetainPlain() is { } plain)
        {
            _bytes -= _last.Bytes;
            _last.Close(Compress(plain), _isZstd);
            _bytes += _last.Bytes;
            plain.Release();
        }
        _encoder = null;
        _payload = new();
        _deferral.Dispose();
        _compressor.Dispose();
        _room.Dispose();
    }

    private void Release()
    {
        for (; _first is not null; _first = _first.Next) _first.Drop();
        (_last, _bytes, _frames, _firstGameLoop) = (null, 0, 0, null);
        CloseAll();
    }

    private byte[] Compress(SharedBuffer plain)
    {
        var output = SharedBuffer.Rent(plain.Span.Length);
        _compressor.Compress(plain.Span, output);
        var compressed = output.Span.ToArray();
        output.Release();
        return compressed;
    }

    private void Keep(SharedFrame frame, int round)
    {
        // By what the frame before took: whether this one is a keyframe must be known before it is encoded.
        var isNewSegment = _last is null || _last.Round != round || _last.Frames >= SegmentFrames
            || _last.Length + HistoryRecord.HeadBytes + _payload.WrittenCount > MaxSegmentBytes;
        _payload.ResetWrittenCount();
        bool isKeyframe;
        try
        {
            isKeyframe = _encoder!.Encode(frame.Observation.Span, isNewSegment, _payload);
        }
        catch (InvalidDataException)
        {
            // Readers of columns get the error. Here it is a gap.
            Interrupt();
            return;
        }
        if (isNewSegment) Begin(frame.GameLoop, round);
        var bytes = HistoryRecord.HeadBytes + _payload.WrittenCount;
        lock (_gate)
        {
            var before = _last!.Bytes;
            HistoryRecord.Write(frame, isKeyframe, _payload.WrittenSpan, _last.Reserve(bytes));
            _last.Append(bytes, frame.GameLoop);
            _frames++;
            _bytes += _last.Bytes - before;
        }
    }

    /// <summary>Closes the newest segment and begins another one.</summary>
    private void Begin(uint gameLoop, int round)
    {
        byte[]? compressed = null;
        if (_last is { } closing && closing.Round == round)
        {
            var plain = closing.RetainPlain()!;
            // Nothing is appended meanwhile: only this thread does.
            compressed = Compress(plain);
            plain.Release();
        }
        var mostBytes = MakeRoom?.Invoke(Bytes) ?? _maxBytes;
        lock (_gate)
        {
            var segment = new HistorySegment(round, gameLoop, _last?.Length ?? 0);
            if (_last is not null)
            {
                _bytes -= _last.Bytes;
                if (compressed is not null) _last.Close(compressed, _isZstd);
                _bytes += _last.Bytes;
                _last.Next = segment;
            }
            _bytes += segment.Bytes;
            _last = segment;
            _first ??= segment;
            while (_first != segment && (_bytes > mostBytes || _first.Round != round)) DropOldest();
        }
    }

    private void DropOldest()
    {
        var oldest = _first!;
        _bytes -= oldest.Bytes;
        _frames -= oldest.Frames;
        oldest.Drop();
        _first = oldest.Next;
        if (_firstGameLoop is not null && _first!.Round == _round) _firstGameLoop = _first.FirstGameLoop;
    }
}
