using System.Runtime.CompilerServices;
using Abathur.Protobuf.FieldMasks;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>
/// One subscriber's bounded queue between the hub and a transport. One task offers frames, one task sends them (<see cref="SendLoop"/>).
/// </summary>
public sealed class Subscription : IDisposable
{
    private readonly Lock _gate = new();
    private readonly (EncodedFrame? Frame, DroppedFrames Before)[] _queue;
    private readonly Queue<ulong> _unacknowledged = new();
    private readonly AsyncAutoResetEvent _ready;
    private readonly AsyncAutoResetEvent _room;
    private readonly AsyncAutoResetEvent _answered;
    private readonly CancellationTokenSource _aborted;
    private readonly Action<Subscription> _onDispose;
    private readonly EventLog? _events;
    private readonly WireProjection? _mask;
    private int _head;
    private int _count;
    private DroppedFrames _dropped;
    private DroppedFrames _droppedBeforeNewest;
    private ulong _acknowledged;
    private ulong _framesSent;
    private ulong _framesDropped;
    private ulong _bytesSent;
    private uint _lastSentGameLoop;
    private ulong _keyframes;
    private Action? _askKeyframe;
    private EncodedFrame[] _skipped = [];
    private KeyframeNeed _keyframeNeed;
    private ulong _newestOffered;
    private bool _hasHadFrames;
    private bool _hasDroppedNewest;
    private ulong _nextSequence;

    private ulong _framesSentBefore;

    internal Subscription(
        ulong id, SubscriptionOptions options, ulong firstSequence, TimeProvider clock, Action<Subscription> onDispose,
        EventLog? events = null)
    {
        FirstSequence = _nextSequence = firstSequence;
        _onDispose = onDispose;
        _events = events;
        if (options.FieldMask.Count > 0) _mask = WireProjection.For(SC2APIProtocol.ResponseObservation.Descriptor, options.FieldMask);
        Id = id;
        Options = options;
        _queue = new (EncodedFrame?, DroppedFrames)[options.BufferFrames];
        _ready = new AsyncAutoResetEvent(clock);
        _room = new AsyncAutoResetEvent(clock);
        _answered = new AsyncAutoResetEvent(clock);
        _aborted = new CancellationTokenSource(Timeout.InfiniteTimeSpan, clock);
    }

    /// <summary>How long a subscriber may take to read its queued frames after its subscription has failed, before it is
    /// disconnected.</summary>
    internal static TimeSpan Grace { get; } = TimeSpan.FromSeconds(2);

    public ulong Id { get; }

    public SubscriptionOptions Options { get; }

    /// <summary>Why the subscription has ended; null before. Queued frames may be read first.</summary>
    public SubscriptionEnd? End { get; private set; }

    /// <summary>Whether the match is over and queued frames wait for credits: the reader gets them when it acknowledges.</summary>
    public bool IsOwedFrames
    {
        get
        {
            lock (_gate) return _count > 0 && End is { Reason: SubscriptionEndReason.MatchOver };
        }
    }

    /// <summary>Fires when the transport must disconnect the reader, because it does not even read the end.</summary>
    public CancellationToken Aborted => _aborted.Token;

    /// <summary>The first frame that this subscriber is guaranteed to be offered, if its stream does not exclude it.</summary>
    internal ulong FirstSequence { get; private set; }

    /// <summary>The frames that are sent before the live ones; null if it begins with the live ones.</summary>
    internal IEarlierFrames? Earlier { get; set; }

    /// <summary>Whether a frame may be sent before the reader acknowledges others.</summary>
    internal bool HasCredit
    {
        get
        {
            lock (_gate) return Options.Credits == 0 || _unacknowledged.Count < Options.Credits;
        }
    }

    /// <summary>Whether its reader reads the match before still. Then it counts against no limit, because that one does.</summary>
    internal bool Waits { get; private set; }

    /// <summary>Whether its reader goes on with another one: it is not over for those who count readers.</summary>
    internal bool IsHandedOver { get; private set; }

    /// <summary>Whether it has as many frames as it asked for, with those of the matches before.</summary>
    internal bool IsComplete => Options.MaxFrames > 0 && FramesSent + _framesSentBefore >= Options.MaxFrames;

    /// <summary>Frames written so far.</summary>
    internal ulong FramesSent
    {
        get
        {
            lock (_gate) return _framesSent;
        }
    }

    /// <summary>Bytes written so far.</summary>
    internal ulong BytesSent
    {
        get
        {
            lock (_gate) return _bytesSent;
        }
    }

    /// <summary>Whether queued frames must never be replaced.</summary>
    internal bool IsLossless => Options.Policy != Policy.Latest;

    /// <summary>Whether it has not been offered a frame yet.</summary>
    internal bool HasHadNoFrame
    {
        get
        {
            lock (_gate) return !_hasHadFrames && End is null;
        }
    }

    /// <summary>Whether frames were dropped that the next ones depend on.</summary>
    internal bool IsBehind => _keyframeNeed != KeyframeNeed.None && End is null;

    /// <summary>Whether it has dropped the newest frame of the stream, and its reader waits for a keyframe.</summary>
    internal bool LacksNewest => _keyframeNeed == KeyframeNeed.Asked && _hasDroppedNewest && End is null;

    internal bool HasRoom
    {
        get
        {
            lock (_gate) return _count < _queue.Length || End is not null;
        }
    }

    /// <summary>Whether it skips to the newest frame, which may depend on those before it.</summary>
    private bool SkipsWithKeyframes => _askKeyframe is not null && !IsLossless;

    /// <summary>
    /// Waits until there may be a frame, or the end. Call it after <see cref="TryTake"/> has returned false. It continues on a thread on
    /// which other readers run next: a reader that does further work, or sends more than <see cref="SendLoop.FramesInATurn"/> frames, must
    /// yield it.
    /// </summary>
    internal ValueTask<bool> WaitAsync() => _ready.WaitAsync();

    /// <summary>Makes <see cref="SendLoop.SendAsync"/> write the pending messages of the output.</summary>
    public void Wake() => _ready.Set();

    /// <summary>Takes the next frame; the caller releases it. False if none is due, or no credit is left.</summary>
    internal bool TryTake(out EncodedFrame frame, out DroppedFrames dropped)
    {
        lock (_gate)
        {
            var hasCredit = Options.Credits == 0 || _unacknowledged.Count < Options.Credits;
            if (_count == 0 || !hasCredit)
            {
                if (hasCredit) AskKeyframe();
                frame = null!;
                dropped = default;
                return false;
            }
            (frame, dropped) = SkipsWithKeyframes && _count > 1 ? TakeNewest() : Dequeue();
            CountTakenLocked(frame);
        }
        _room.Set();
        if (frame.Sequence > _nextSequence && _events is not null)
            dropped = dropped with { Events = _events.Between(_nextSequence, frame.Sequence - 1, _mask) };
        _nextSequence = Math.Max(_nextSequence, frame.Sequence + 1);
        return true;
    }

    /// <summary>Counts a kept frame that is about to be written.</summary>
    internal void CountTaken(EncodedFrame frame)
    {
        lock (_gate)
        {
            CountTakenLocked(frame);
            _hasHadFrames = true;
            // What happened in kept frames behind it that downsampling excludes comes with the next frame.
            _nextSequence = frame.Sequence + 1;
        }
    }

    /// <summary>Makes it wait until its reader has read the match before.</summary>
    /// <param name="missed">Frames of matches in between, which its reader does not get.</param>
    internal void WaitForReader(in DroppedFrames missed)
    {
        Waits = true;
        lock (_gate) AddDropped(missed);
    }

    /// <summary>Its reader goes on with another one.</summary>
    internal void HandOver(Subscription next)
    {
        IsHandedOver = true;
        next._framesSentBefore = _framesSentBefore + FramesSent;
        next.Waits = false;
    }

    /// <summary>Makes the live frames after one follow the kept ones. Called before it is added to a stream.</summary>
    internal void FollowAfter(ulong sequence)
    {
        lock (_gate)
        {
            FirstSequence = sequence + 1;
            _newestOffered = sequence;
        }
    }

    /// <summary>Counts a frame that has been written.</summary>
    internal void CountSent(int bytes)
    {
        lock (_gate)
        {
            _framesSent++;
            _bytesSent += (ulong)bytes;
        }
    }

    /// <summary>Acknowledges all frames up to this one.</summary>
    public void Acknowledge(ulong sequence)
    {
        lock (_gate)
        {
            _acknowledged = Math.Max(_acknowledged, sequence);
            while (_unacknowledged.TryPeek(out var oldest) && oldest <= sequence) _unacknowledged.Dequeue();
        }
        _answered.Set();
        _ready.Set();
    }

    /// <summary>Ends the subscription from the reader's side.</summary>
    public void Close() => Finish(SubscriptionEnd.ByReader);

    /// <summary>Disconnects the reader.</summary>
    internal void Abort()
    {
        Close();
        _aborted.CancelAfter(TimeSpan.Zero);
    }

    /// <summary>Leaves the hub and releases all queued frames.</summary>
    public void Dispose()
    {
        Close();
        _onDispose(this);
        lock (_gate)
        {
            while (_count > 0) Dequeue().Frame.Release();
        }
        _ready.Dispose();
        _room.Dispose();
        _answered.Dispose();
        _aborted.Dispose();
    }

    /// <summary>Accepts only a keyframe next. For a stream with keyframes, from which one has already been requested.</summary>
    internal void StartAtKeyframe(Action ask)
    {
        _askKeyframe = ask;
        if (!IsLossless) _skipped = new EncodedFrame[_queue.Length];
        _keyframeNeed = KeyframeNeed.Asked;
    }

    /// <summary>
    /// Offers the subscriber a frame (and counts the frames dropped before it). Under <see cref="Policy.Latest"/> it replaces queued
    /// frames. Frames that depend on those before them are queued together until there is a keyframe or the queue is full; then all frames
    /// are dropped until the reader continues and requests a keyframe. <see cref="WakeToTake"/> wakes the reader.
    /// </summary>
    internal void Offer(EncodedFrame frame, in DroppedFrames before)
    {
        lock (_gate)
        {
            if (End is not null) return;
            if (frame.Sequence <= _newestOffered)
            {
                // It already has this frame, but not the encoding that the next frames of the stream depend on.
                if (frame.IsKeyframe) _askKeyframe?.Invoke();
                return;
            }
            if (_count == _queue.Length || (SkipsWithKeyframes && frame.IsKeyframe))
            {
                DropQueued();
                // Frames that depend on the dropped ones cannot be decoded.
                if (SkipsWithKeyframes && !frame.IsKeyframe) _keyframeNeed = KeyframeNeed.Unasked;
            }
            AddDropped(before);
            if (_keyframeNeed == KeyframeNeed.Unasked || (_keyframeNeed == KeyframeNeed.Asked && !frame.IsKeyframe))
            {
                // A frame that was published before it subscribed is not counted as dropped.
                _droppedBeforeNewest = _dropped;
                _hasDroppedNewest = frame.Sequence >= FirstSequence;
                if (_hasDroppedNewest) AddDropped(default(DroppedFrames).Then(frame.GameLoop));
                return;
            }
            Enqueue(frame);
        }
    }

    /// <summary>
    /// Offers the newest frame, which decodes independently, to a subscriber that begins with it and has not been offered another one yet.
    /// In a stream with keyframes it still waits for a keyframe.
    /// </summary>
    internal void OfferNewest(EncodedFrame newest)
    {
        lock (_gate)
        {
            if (End is not null || _hasHadFrames) return;
            var need = _keyframeNeed;
            Enqueue(newest);
            _keyframeNeed = need;
            _newestOffered = newest.Sequence;
        }
        _ready.Set();
    }

    /// <summary>Continues a waiting reader if it has a frame: by the scheduler or, without one, on this thread before this
    /// returns.</summary>
    internal void WakeToTake(SubscriberScheduler? turns)
    {
        lock (_gate)
        {
            if (_count == 0) return;
        }
        if (turns is null) _ready.SetInline();
        else _ready.Set(turns, IsLossless);
    }

    /// <summary>Offers the newest frame again, as a keyframe, if it was dropped: the last one of a match may have the results.</summary>
    /// <param name="newest">The frame.</param>
    /// <param name="staysBehind">Whether the next frame of the stream does not depend on this one, and must be a keyframe.</param>
    internal void OfferDroppedAgain(EncodedFrame newest, bool staysBehind = false)
    {
        lock (_gate)
        {
            if (!IsBehind || !_hasDroppedNewest) return;
            var need = _keyframeNeed;
            _dropped = _droppedBeforeNewest;
            _framesDropped--;
            Enqueue(newest);
            if (staysBehind) _keyframeNeed = need;
        }
        _ready.Set();
    }

    /// <summary>Waits until a frame may be offered without loss. False: no frame was read within the timeout. After true there may still be
    /// no room.</summary>
    internal ValueTask<bool> WaitForRoomAsync(TimeSpan timeout) => _room.WaitAsync(timeout);

    /// <summary>Waits until the reader has acknowledged a frame. Ends the subscription after the timeout.</summary>
    /// <param name="sequence">The frame.</param>
    /// <param name="since">Start of the timeout, the same for all readers.</param>
    /// <param name="clock">Clock of the timestamp.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    internal async ValueTask WaitForAnswerAsync(ulong sequence, long since, TimeProvider clock)
    {
        while (true)
        {
            lock (_gate)
            {
                if (_acknowledged >= sequence || End is not null) return;
            }
            var left = Options.LockstepTimeout - clock.GetElapsedTime(since);
            if (left > TimeSpan.Zero && await _answered.WaitAsync(left)) continue;
            Finish(new(
                SubscriptionEndReason.AckTimeout,
                $"frame {sequence} was not acknowledged within {Options.LockstepTimeout.TotalSeconds:0.###} s"));
        }
    }

    /// <summary>Ends the subscription; only the first reason is kept.</summary>
    internal void Finish(SubscriptionEnd end)
    {
        lock (_gate)
        {
            if (End is not null) return;
            End = end;
        }
        // At the end of a match, and when the daemon stops, the daemon itself waits for the readers.
        if (end.Reason is SubscriptionEndReason.SlowConsumer or SubscriptionEndReason.AckTimeout or SubscriptionEndReason.BadFrame)
            _aborted.CancelAfter(Grace);
        _ready.Set();
        _room.Set();
        _answered.Set();
    }

    internal SubscriberStatus Status(uint newestGameLoop)
    {
        lock (_gate)
        {
            return new SubscriberStatus
            {
                Id = Id,
                Name = Options.Name,
                Transport = Options.Transport,
                Peer = Options.Peer,
                Policy = Options.Policy,
                Encoding = Options.Encoding,
                Compression = Options.Compression,
                FramesSent = _framesSent,
                FramesDropped = _framesDropped,
                BytesSent = _bytesSent,
                Keyframes = _keyframes,
                FramesWaiting = (uint)_count,
                LagGameLoops = _count == 0 || newestGameLoop < _lastSentGameLoop ? 0 : newestGameLoop - _lastSentGameLoop,
            };
        }
    }

    private void CountTakenLocked(EncodedFrame frame)
    {
        if (frame.IsKeyframe) _keyframes++;
        if (Options.Credits > 0) _unacknowledged.Enqueue(frame.Sequence);
        _lastSentGameLoop = frame.GameLoop;
    }

    private void Enqueue(EncodedFrame frame)
    {
        _keyframeNeed = KeyframeNeed.None;
        _hasHadFrames = true;
        _hasDroppedNewest = false;
        frame.Retain();
        _queue[(_head + _count) % _queue.Length] = (frame, _dropped);
        _dropped = default;
        _count++;
    }

    private (EncodedFrame Frame, DroppedFrames Before) Dequeue()
    {
        var (frame, before) = _queue[_head];
        _queue[_head] = default;
        _head = (_head + 1) % _queue.Length;
        _count--;
        return (frame!, before);
    }

    /// <summary>Takes all queued frames as one, the newest, and counts the others as dropped.</summary>
    private (EncodedFrame Frame, DroppedFrames Before) TakeNewest()
    {
        var dropped = default(DroppedFrames);
        var earlier = _skipped.AsSpan(0, _count - 1);
        for (var i = 0; i < earlier.Length; i++)
        {
            (earlier[i], var before) = Dequeue();
            dropped = dropped.Then(before).Then(earlier[i].GameLoop);
        }
        _framesDropped += (ulong)earlier.Length;
        var (newest, last) = Dequeue();
        var frame = EncodedFrame.SkipTo(newest, earlier);
        earlier.Clear();
        return (frame, dropped.Then(last));
    }

    /// <summary>Drops all queued frames. Only under <see cref="Policy.Latest"/>: for other policies the hub waits for room or ends the
    /// subscription.</summary>
    private void DropQueued()
    {
        while (_count > 0)
        {
            var (frame, before) = Dequeue();
            // The frames dropped before it are already counted.
            _dropped = _dropped.Then(before).Then(frame.GameLoop);
            _framesDropped++;
            frame.Release();
        }
    }

    /// <summary>Called when the reader waits again. A keyframe that was encoded earlier would be stale.</summary>
    private void AskKeyframe()
    {
        if (_keyframeNeed != KeyframeNeed.Unasked || End is not null) return;
        _keyframeNeed = KeyframeNeed.Asked;
        _askKeyframe!();
    }

    private void AddDropped(in DroppedFrames dropped)
    {
        _dropped = _dropped.Then(dropped);
        _framesDropped += dropped.Count;
    }

    /// <summary>Whether the next frame of the subscriber must be a keyframe.</summary>
    private enum KeyframeNeed
    {
        /// <summary>No: it has all frames since the last keyframe.</summary>
        None,

        /// <summary>Yes: frames were dropped, and its reader does not wait yet.</summary>
        Unasked,

        /// <summary>Yes, and it has been requested from the stream.</summary>
        Asked,
    }
}
