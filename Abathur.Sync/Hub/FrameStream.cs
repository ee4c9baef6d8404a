using System.Runtime.CompilerServices;
using Abathur.Sync.Encodings;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Frame = Abathur.Sync.Frames.Frame;

namespace Abathur.Sync.Hub;

/// <summary>
/// All subscribers that asked for the same thing: each frame is encoded once for all of them. Plain protobuf needs no
/// encoding and is offered on the publisher's flow. Everything else is encoded by a flow of the stream's own behind a
/// bounded queue, so that a slow encoding delays neither the source nor another stream.
/// </summary>
internal sealed class FrameStream : IDisposable
{
    /// <summary>Lossless readers that are served on the thread that has the frame. More, and what their writing leads to would lack that thread.</summary>
    private const int ServedAtOnce = 2;

    private readonly Lock _gate = new();
    private readonly IFrameEncoder? _encoder;
    private readonly HubOptions _options;
    private readonly bool _sourceWaits;
    private readonly TimeProvider _clock;
    private readonly WakeQueue _readers;
    private readonly Queue<Frame> _queue = new();
    private readonly AsyncSignal _ready;
    private readonly AsyncSignal _room;
    private readonly Action _askKeyframe;
    private volatile Subscription[] _subscriptions = [];
    private Missed _missed;
    private SubscriptionEnd? _end;
    private int _payloadBytes;
    private int _keyframeAsked;
    private uint? _framesSinceKeyframe;
    private uint _lastEncodedLoop;
    private Frame? _last;

    public FrameStream(StreamKey key, HubOptions options, bool sourceWaits, TimeProvider clock, WakeQueue readers)
    {
        Key = key;
        _options = options;
        _sourceWaits = sourceWaits;
        _clock = clock;
        _readers = readers;
        _encoder = key.CreateEncoder();
        _ready = new AsyncSignal(clock);
        _room = new AsyncSignal(clock);
        _askKeyframe = () => Volatile.Write(ref _keyframeAsked, 1);
        Encoding = _encoder is null ? Task.CompletedTask : Task.Run(EncodeAsync);
    }

    public StreamKey Key { get; }

    /// <summary>Told how long each frame took to encode.</summary>
    public Action<TimeSpan>? Encoded { get; init; }

    public Subscription[] Subscriptions => _subscriptions;

    /// <summary>Game loop of the last frame that the stream took.</summary>
    public uint? LastGameLoop { get; private set; }

    /// <summary>The flow that encodes; completes after <see cref="Finish"/>, when all frames are out.</summary>
    public Task Encoding { get; }

    /// <summary>Adds a subscriber. Where there are keyframes, its first frame is one, and the next to be encoded.</summary>
    public void Add(Subscription subscription)
    {
        if (Key.Format.HasKeyframes) subscription.StartAtKeyframe(_askKeyframe);
        // Asked once it is there: the frame that answers is offered to it.
        _subscriptions = [.. _subscriptions, subscription];
        if (Key.Format.HasKeyframes) _askKeyframe();
    }

    public void Remove(Subscription subscription) => _subscriptions = [.. _subscriptions.Where(each => each != subscription)];

    /// <summary>Waits until the next frame can be offered without loss to those who may lose nothing.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WaitForRoomAsync()
    {
        if (_encoder is null)
        {
            await WaitForReadersAsync();
            return;
        }
        while (_end is null && IsFull() && HasLossless()) await _room.WaitAsync();
    }

    /// <summary>Waits until each lockstep reader has answered this frame.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WaitForAnswersAsync(ulong sequence)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.Options.Policy == Policy.Lockstep && subscription.FirstSequence <= sequence) await subscription.WaitForAnswerAsync(sequence);
        }
    }

    /// <summary>Offers a frame to all subscribers, unless <see cref="StreamKey.EveryGameLoops"/> leaves it out. Never waits.</summary>
    public void Offer(Frame frame)
    {
        if (!Wants(frame.GameLoop)) return;
        if (_encoder is null)
        {
            var plain = EncodedFrame.Plain(frame);
            OfferToAll(plain, default);
            plain.Release();
            return;
        }
        lock (_gate)
        {
            var capacity = HasLossless() ? _options.EncodeQueueFrames : 1;
            if (_queue.Count >= _options.EncodeQueueFrames && HasLossless()) EndLossless($"encoding {Key.Format} does not keep up with the source");
            while (_queue.Count >= capacity)
            {
                var oldest = _queue.Dequeue();
                _missed = _missed.Then(oldest.GameLoop);
                oldest.Release();
            }
            frame.Retain();
            _queue.Enqueue(frame);
        }
        _ready.Set();
    }

    /// <summary>Ends all subscriptions once what is queued has been offered.</summary>
    public void Finish(SubscriptionEnd end)
    {
        lock (_gate) _end ??= end;
        if (_encoder is null) EndAll(end);
        _ready.Set();
        // A source that waits for the encoder has nothing to wait for any more.
        _room.Set();
    }

    /// <summary>Ends all subscriptions now: what is queued for the encoder is lost.</summary>
    public void EndAll(SubscriptionEnd end)
    {
        foreach (var subscription in _subscriptions) subscription.Finish(end);
    }

    public void Dispose()
    {
        _ready.Dispose();
        _room.Dispose();
        // The end of the match and the last subscriber that leaves may both come here.
        Interlocked.Exchange(ref _last, null)?.Release();
        (_encoder as IDisposable)?.Dispose();
    }

    private async Task EncodeAsync()
    {
        while (true)
        {
            Frame? frame;
            Missed missed;
            lock (_gate)
            {
                _queue.TryDequeue(out frame);
                missed = _missed;
                if (frame is not null) _missed = default;
            }
            if (frame is not null)
            {
                _room.Set();
                await EncodeAsync(frame, missed);
            }
            else if (_end is { } end)
            {
                if (end.Reason != SubscriptionEndReason.Stopping) OfferLastAgain();
                EndAll(end);
                break;
            }
            else
            {
                await _ready.WaitAsync();
            }
        }
        _room.Set();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask EncodeAsync(Frame frame, Missed missed)
    {
        if (_sourceWaits) await WaitForReadersAsync();
        if (Encode(frame, MustBeKeyframe(frame.GameLoop)) is { } encoded)
        {
            OfferToAll(encoded, missed);
            encoded.Release();
        }
        if (Key.Format.HasKeyframes)
        {
            _last?.Release();
            _last = frame;
            return;
        }
        frame.Release();
    }

    /// <summary>The frame as all subscribers of the stream get it; null, and the end for all, where it cannot be encoded.</summary>
    private EncodedFrame? Encode(Frame frame, bool mustBeKeyframe)
    {
        var payload = SharedBuffer.Rent(_payloadBytes);
        EncodedPayload encoded;
        var started = _clock.GetTimestamp();
        try
        {
            encoded = _encoder!.Encode(frame.Observation.Span, mustBeKeyframe, payload);
        }
        catch (InvalidDataException e)
        {
            _framesSinceKeyframe = null;
            payload.Release();
            EndAll(new(SubscriptionEndReason.BadFrame, $"game loop {frame.GameLoop} cannot be sent as {Key.Format}: {e.Message}"));
            return null;
        }
        Encoded?.Invoke(_clock.GetElapsedTime(started));
        _payloadBytes = Math.Max(_payloadBytes, payload.Memory.Length);
        _framesSinceKeyframe = encoded.IsKeyframe ? 0 : _framesSinceKeyframe + 1;
        return EncodedFrame.Encoded(frame, Key.Format, payload, encoded, FrameStamp.MonotonicNow(_clock));
    }

    /// <summary>Who was not reading when the match ended gets its last frame all the same, as it would where each frame decodes alone.</summary>
    private void OfferLastAgain()
    {
        var behind = Array.FindAll(_subscriptions, subscription => subscription.IsBehind);
        if (behind.Length == 0 || _last is null || Encode(_last, mustBeKeyframe: true) is not { } keyframe) return;
        foreach (var subscription in behind) subscription.OfferMissedAgain(keyframe);
        keyframe.Release();
    }

    /// <summary>Whether this frame has to be a keyframe: the first, asked for, due by the interval, or after the match went back.</summary>
    private bool MustBeKeyframe(uint gameLoop)
    {
        var wentBack = gameLoop < _lastEncodedLoop;
        _lastEncodedLoop = gameLoop;
        var isAsked = Interlocked.Exchange(ref _keyframeAsked, 0) != 0;
        if (isAsked || wentBack || _framesSinceKeyframe is not { } since) return true;
        return _options.KeyframeIntervalFrames > 0 && since + 1 >= _options.KeyframeIntervalFrames;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WaitForReadersAsync()
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.IsLossless && !subscription.HasRoom) await subscription.WaitForRoomAsync(_options.StallTimeout);
        }
    }

    /// <summary>Offers a frame to all; then those who may lose nothing go on to write it, and then the others.</summary>
    private void OfferToAll(EncodedFrame frame, in Missed missed)
    {
        var subscriptions = _subscriptions;
        foreach (var subscription in subscriptions)
        {
            if (!subscription.IsLossless || subscription.HasRoom) subscription.Offer(frame, missed);
            else subscription.Finish(new(SubscriptionEndReason.TooSlow, $"{subscription.Options.BufferFrames} frames wait already, and this source does not wait"));
        }
        // Who may wait for readers may as well write for the first lossless ones, or the only one.
        var servedHere = _encoder is null && !_sourceWaits ? 0 : ServedAtOnce;
        foreach (var subscription in subscriptions)
        {
            if (subscription.IsLossless) subscription.WakeToTake(servedHere-- > 0 ? null : _readers);
        }
        var isOnlyOne = subscriptions.Length == 1 && servedHere > 0;
        foreach (var subscription in subscriptions)
        {
            if (!subscription.IsLossless) subscription.WakeToTake(isOnlyOne ? null : _readers);
        }
    }

    private bool Wants(uint gameLoop)
    {
        // A game loop that goes back is a seek or a new round, and starts the count anew.
        if (LastGameLoop is { } last && gameLoop >= last && gameLoop - last < Key.EveryGameLoops && Key.EveryGameLoops > 1) return false;
        LastGameLoop = gameLoop;
        return true;
    }

    private bool IsFull()
    {
        lock (_gate) return _queue.Count >= _options.EncodeQueueFrames;
    }

    private bool HasLossless() => Array.Exists(_subscriptions, subscription => subscription is { IsLossless: true, End: null });

    private void EndLossless(string message)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.IsLossless) subscription.Finish(new(SubscriptionEndReason.TooSlow, message));
        }
    }
}
