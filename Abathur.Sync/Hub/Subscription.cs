using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>
/// One subscriber's bounded queue between the hub and a transport. One task offers frames, one task takes them.
/// </summary>
/// <example>
/// <code>
/// while (true)
/// {
///     if (subscription.TryTake(out var frame, out var missed)) { write; frame.Release(); flush; }
///     else if (subscription.End is not null) break;
///     else await subscription.WaitAsync();
/// }
/// </code>
/// </example>
public sealed class Subscription : IDisposable
{
    /// <summary>After so many frames in a row the reader gives its thread to the others once: there may always be one more.</summary>
    public const int FramesInATurn = 16;

    private readonly Lock _gate = new();
    private readonly (EncodedFrame? Frame, DroppedFrames Before)[] _queue;
    private readonly Queue<ulong> _unacknowledged = new();
    private readonly AsyncAutoResetEvent _ready;
    private readonly AsyncAutoResetEvent _room;
    private readonly AsyncAutoResetEvent _answered;
    private readonly CancellationTokenSource _aborted;
    private readonly Action<Subscription> _onDispose;
    private int _head;
    private int _count;
    private DroppedFrames _missed;
    private DroppedFrames _missedBeforeNewest;
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

    internal Subscription(ulong id, SubscriptionOptions options, ulong firstSequence, TimeProvider clock, Action<Subscription> onDispose)
    {
        FirstSequence = firstSequence;
        Id = id;
        Options = options;
        _onDispose = onDispose;
        _queue = new (EncodedFrame?, DroppedFrames)[options.BufferFrames];
        _ready = new AsyncAutoResetEvent(clock);
        _room = new AsyncAutoResetEvent(clock);
        _answered = new AsyncAutoResetEvent(clock);
        _aborted = new CancellationTokenSource(Timeout.InfiniteTimeSpan, clock);
    }

    /// <summary>How long a subscriber whose subscription has failed may take for what is still queued, before it is cut off.</summary>
    internal static TimeSpan Grace { get; } = TimeSpan.FromSeconds(2);

    public ulong Id { get; }

    public SubscriptionOptions Options { get; }

    /// <summary>Set once the subscription has ended. Frames still queued may be taken first.</summary>
    public SubscriptionEnd? End { get; private set; }

    /// <summary>Whether the match is over and frames still wait for credits: the reader gets them when it acknowledges.</summary>
    public bool IsOwedFrames
    {
        get
        {
            lock (_gate) return _count > 0 && End is { Reason: SubscriptionEndReason.MatchOver };
        }
    }

    /// <summary>Fires when the transport must cut the reader off, because it does not even take the end.</summary>
    public CancellationToken Aborted => _aborted.Token;

    /// <summary>The first frame that this subscriber is sure to be offered, if its stream takes it.</summary>
    internal ulong FirstSequence { get; }

    /// <summary>Frames written so far.</summary>
    internal ulong FramesSent
    {
        get
        {
            lock (_gate) return _framesSent;
        }
    }

    /// <summary>Whether the queue is never to be overwritten.</summary>
    internal bool IsLossless => Options.Policy != Policy.Latest;

    /// <summary>Whether it waits for its first frame.</summary>
    internal bool HasHadNoFrame
    {
        get
        {
            lock (_gate) return !_hasHadFrames && End is null;
        }
    }

    /// <summary>Whether it has missed frames that the next ones depend on.</summary>
    internal bool IsBehind => _keyframeNeed != KeyframeNeed.None && End is null;

    internal bool HasRoom
    {
        get
        {
            lock (_gate) return _count < _queue.Length || End is not null;
        }
    }

    /// <summary>Whether it skips to the newest frame, and that may depend on those before it.</summary>
    private bool SkipsWithKeyframes => _askKeyframe is not null && !IsLossless;

    /// <summary>
    /// Waits until there may be something to take, or the end. Call after <see cref="TryTake"/> said no. It returns on a thread on which other readers have
    /// their turn next: a reader that works on, or takes more than <see cref="FramesInATurn"/> frames, yields it.
    /// </summary>
    public ValueTask<bool> WaitAsync() => _ready.WaitAsync();

    /// <summary>Makes <see cref="WaitAsync"/> return although nothing is there to take.</summary>
    public void Wake() => _ready.Set();

    /// <summary>Takes the next frame; the caller releases it. False where none is due, or no credit is left.</summary>
    public bool TryTake(out EncodedFrame frame, out DroppedFrames missed)
    {
        lock (_gate)
        {
            var hasCredit = Options.Credits == 0 || _unacknowledged.Count < Options.Credits;
            if (_count == 0 || !hasCredit)
            {
                if (hasCredit) AskKeyframe();
                frame = null!;
                missed = default;
                return false;
            }
            (frame, missed) = SkipsWithKeyframes && _count > 1 ? TakeNewest() : Dequeue();
            if (frame.IsKeyframe) _keyframes++;
            if (Options.Credits > 0) _unacknowledged.Enqueue(frame.Sequence);
            _lastSentGameLoop = frame.GameLoop;
        }
        _room.Set();
        return true;
    }

    /// <summary>Counts a frame that has been written.</summary>
    public void CountSent(int bytes)
    {
        lock (_gate)
        {
            _framesSent++;
            _bytesSent += (ulong)bytes;
        }
    }

    /// <summary>The reader is done with all frames up to this one.</summary>
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
    public void Close() => Finish(new(SubscriptionEndReason.Closed, "closed by the subscriber"));

    /// <summary>Leaves the hub and lets go of everything queued.</summary>
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

    /// <summary>Takes only keyframes until there is one. For a stream that has them, which has been asked for one already.</summary>
    internal void StartAtKeyframe(Action ask)
    {
        _askKeyframe = ask;
        if (!IsLossless) _skipped = new EncodedFrame[_queue.Length];
        _keyframeNeed = KeyframeNeed.Asked;
    }

    /// <summary>
    /// Gives the subscriber a frame (and what was missed before it). Under <see cref="Policy.Latest"/> it replaces what still waits. Where frames depend on those
    /// before them, they wait together until there is a keyframe, or too many; then all are missed until the reader comes back and asks for a keyframe.
    /// The reader is woken by <see cref="WakeToTake"/>.
    /// </summary>
    internal void Offer(EncodedFrame frame, in DroppedFrames before)
    {
        lock (_gate)
        {
            if (End is not null) return;
            if (frame.Sequence <= _newestOffered)
            {
                // It has this frame already, but not in the form that the stream's next frames depend on.
                if (frame.IsKeyframe) _askKeyframe?.Invoke();
                return;
            }
            if (_count == _queue.Length || (SkipsWithKeyframes && frame.IsKeyframe))
            {
                DropQueued();
                // What depends on frames that are lost now cannot be decoded.
                if (SkipsWithKeyframes && !frame.IsKeyframe) _keyframeNeed = KeyframeNeed.Unasked;
            }
            AddMissed(before);
            if (_keyframeNeed == KeyframeNeed.Unasked || (_keyframeNeed == KeyframeNeed.Asked && !frame.IsKeyframe))
            {
                // A frame that was published before it subscribed is not its loss.
                _missedBeforeNewest = _missed;
                if (frame.Sequence >= FirstSequence) AddMissed(default(DroppedFrames).Then(frame.GameLoop));
                return;
            }
            Enqueue(frame);
        }
    }

    /// <summary>
    /// Gives a subscriber that begins with the newest frame that frame, which decodes alone, where it has not been offered another one yet. Where frames depend
    /// on those before them, it still waits for a keyframe of its stream.
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

    /// <summary>Lets a reader that waits go on, where there is something for it: in its turn, or, without a queue of turns, on this thread before this returns.</summary>
    internal void WakeToTake(SubscriberScheduler? turns)
    {
        lock (_gate)
        {
            if (_count == 0) return;
        }
        if (turns is null) _ready.SetInline();
        else _ready.Set(turns, IsLossless);
    }

    /// <summary>Gives a subscriber who has missed the last frame of the match that frame, as a keyframe: it may hold the results.</summary>
    internal void OfferMissedAgain(EncodedFrame last)
    {
        lock (_gate)
        {
            if (!IsBehind || last.Sequence < FirstSequence) return;
            _missed = _missedBeforeNewest;
            _framesDropped--;
            Enqueue(last);
        }
        _ready.Set();
    }

    /// <summary>Waits until a frame may be offered without loss. False: nothing was taken within the timeout. After true there may still be no room.</summary>
    internal ValueTask<bool> WaitForRoomAsync(TimeSpan timeout) => _room.WaitAsync(timeout);

    /// <summary>Waits until the reader has acknowledged a frame; ends it when it does not in time.</summary>
    /// <param name="sequence">The frame.</param>
    /// <param name="since">Timestamp from which the time counts, the same for all readers that are waited for.</param>
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
            Finish(new(SubscriptionEndReason.AckTimeout, $"frame {sequence} was not acknowledged within {Options.LockstepTimeout.TotalSeconds:0.###} s"));
        }
    }

    /// <summary>Ends the subscription; the first reason counts.</summary>
    internal void Finish(SubscriptionEnd end)
    {
        lock (_gate)
        {
            if (End is not null) return;
            End = end;
        }
        // At the end of a match, and when the daemon stops, the daemon itself waits for the readers.
        if (end.Reason is SubscriptionEndReason.SlowConsumer or SubscriptionEndReason.AckTimeout or SubscriptionEndReason.BadFrame) _aborted.CancelAfter(Grace);
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

    private void Enqueue(EncodedFrame frame)
    {
        _keyframeNeed = KeyframeNeed.None;
        _hasHadFrames = true;
        frame.Retain();
        _queue[(_head + _count) % _queue.Length] = (frame, _missed);
        _missed = default;
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

    /// <summary>Takes all that waits as one frame, the newest, and counts the others as missed.</summary>
    private (EncodedFrame Frame, DroppedFrames Before) TakeNewest()
    {
        var missed = default(DroppedFrames);
        var earlier = _skipped.AsSpan(0, _count - 1);
        for (var i = 0; i < earlier.Length; i++)
        {
            (earlier[i], var before) = Dequeue();
            missed = missed.Then(before).Then(earlier[i].GameLoop);
        }
        _framesDropped += (ulong)earlier.Length;
        var (newest, last) = Dequeue();
        var frame = EncodedFrame.SkipTo(newest, earlier);
        earlier.Clear();
        return (frame, missed.Then(last));
    }

    /// <summary>Lets go of all that waits. Only under <see cref="Policy.Latest"/>: for the others the hub makes sure of room, or ends them.</summary>
    private void DropQueued()
    {
        while (_count > 0)
        {
            var (frame, before) = Dequeue();
            // What was missed before it has been counted.
            _missed = _missed.Then(before).Then(frame.GameLoop);
            _framesDropped++;
            frame.Release();
        }
    }

    /// <summary>The reader is back and waits: the time to ask, as what is sent to one that does not read would be stale.</summary>
    private void AskKeyframe()
    {
        if (_keyframeNeed != KeyframeNeed.Unasked || End is not null) return;
        _keyframeNeed = KeyframeNeed.Asked;
        _askKeyframe!();
    }

    private void AddMissed(in DroppedFrames missed)
    {
        _missed = _missed.Then(missed);
        _framesDropped += missed.Count;
    }

    /// <summary>Whether the subscriber can only be offered a keyframe.</summary>
    private enum KeyframeNeed
    {
        /// <summary>It has all frames since the last one.</summary>
        None,

        /// <summary>It has lost frames, and its reader does not wait for any.</summary>
        Unasked,

        /// <summary>The stream has been asked for one.</summary>
        Asked,
    }
}
