using System.Globalization;
using System.Runtime.CompilerServices;
using Abathur.Sync.Encodings;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Frame = Abathur.Sync.Frames.Frame;

namespace Abathur.Sync.Hub;

/// <summary>
/// All subscribers that asked for the same thing: each frame is encoded once for all of them. Plain protobuf needs no
/// encoding and is offered by the publisher. Everything else is encoded on <see cref="EncoderThreads"/> behind a
/// bounded queue, so that a slow encoding delays neither the source nor a cheaper stream.
/// </summary>
internal sealed class FrameStream : IDisposable
{
    /// <summary>Lossless readers that are served on the thread that has the frame. More, and what their writing leads to would lack that thread.</summary>
    private const int ServedAtOnce = 2;

    /// <summary>Mean encoding time from which a stream counts as slow.</summary>
    private static readonly TimeSpan SlowEncoding = TimeSpan.FromMilliseconds(20);

    private readonly Lock _gate = new();
    private readonly IFrameEncoder? _encoder;
    private readonly HubOptions _options;
    private readonly bool _sourceWaits;
    private readonly TimeProvider _clock;
    private readonly SubscriberScheduler _readers;
    private readonly EncoderThreads _threads;
    private readonly HoldUpBudget _holdUps;
    private readonly HoldUpBudget _encoderHoldUps;
    private readonly Func<Frame?> _retainNewest;
    private readonly Queue<Frame> _queue = new();
    private readonly AsyncAutoResetEvent _ready;
    private readonly AsyncAutoResetEvent _room;
    private readonly Action _askKeyframe;
    private volatile Subscription[] _subscriptions = [];
    private DroppedFrames _missed;
    private SubscriptionEnd? _end;
    private int _payloadBytes;
    private int _keyframeAsked;
    private uint? _framesSinceKeyframe;
    private uint _lastEncodedLoop;
    private Frame? _last;
    private EncodedFrame? _newest;
    private TimeSpan _meanEncoding;
    private volatile bool _waitsForReaders;
    private volatile bool _hasNewcomers;

    /// <param name="key">What its subscribers have asked for.</param>
    /// <param name="options">Bounds.</param>
    /// <param name="sourceWaits">Whether the source can wait for lossless readers.</param>
    /// <param name="clock">Clock of everything.</param>
    /// <param name="readers">Where readers wait for their turn to write.</param>
    /// <param name="threads">Where frames are encoded.</param>
    /// <param name="holdUps">How long readers that may only watch may hold up the source.</param>
    /// <param name="encoderHoldUps">How long their encoders may.</param>
    /// <param name="retainNewest">The newest frame of the match, which the stream releases.</param>
    public FrameStream(
        StreamKey key, HubOptions options, bool sourceWaits, TimeProvider clock, SubscriberScheduler readers, EncoderThreads threads, HoldUpBudget holdUps, HoldUpBudget encoderHoldUps, Func<Frame?> retainNewest)
    {
        Key = key;
        _options = options;
        _sourceWaits = sourceWaits;
        _clock = clock;
        _readers = readers;
        _threads = threads;
        _holdUps = holdUps;
        _encoderHoldUps = encoderHoldUps;
        _retainNewest = retainNewest;
        _encoder = key.CreateEncoder();
        _ready = new AsyncAutoResetEvent(clock);
        _room = new AsyncAutoResetEvent(clock);
        _askKeyframe = () => Volatile.Write(ref _keyframeAsked, 1);
        Encoding = _encoder is null ? Task.CompletedTask : Task.Run(EncodeAsync);
    }

    public StreamKey Key { get; }

    /// <summary>Told how long each frame took to encode.</summary>
    public Action<TimeSpan>? Encoded { get; init; }

    public Subscription[] Subscriptions => _subscriptions;

    /// <summary>Game loop of the last frame that the stream took.</summary>
    public uint? LastGameLoop { get; private set; }

    /// <summary>The task that encodes; completes after <see cref="Finish"/>, when all frames are out.</summary>
    public Task Encoding { get; }

    /// <summary>Adds a subscriber. Where there are keyframes, its first frame is one, and the next to be encoded.</summary>
    public void Add(Subscription subscription)
    {
        if (Key.Format.HasKeyframes) subscription.StartAtKeyframe(_askKeyframe);
        // Asked once it is there: the frame that answers is offered to it.
        _subscriptions = [.. _subscriptions, subscription];
        if (Key.Format.HasKeyframes) _askKeyframe();
        if (!subscription.Options.BeginsWithNewest) return;
        if (_encoder is null)
        {
            OfferNewestPlain(subscription);
            return;
        }
        _hasNewcomers = true;
        WakeEncoder();
    }

    public void Remove(Subscription subscription) => _subscriptions = [.. _subscriptions.Where(each => each != subscription)];

    /// <summary>Waits until the next frame can be offered without loss to those who may lose nothing.</summary>
    /// <param name="since">Timestamp from which the time for readers that take nothing counts.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WaitForRoomAsync(long since)
    {
        if (_encoder is null)
        {
            await WaitForReadersAsync(since);
            return;
        }
        while (_end is null && IsFull() && HasLossless())
        {
            // The time of readers that hold up the encoder counts where they are waited for.
            if (_waitsForReaders || HasLosslessThatMayHoldUp()) await _room.WaitAsync();
            else await WaitForEncoderAsync();
        }
    }

    /// <summary>Waits until each lockstep reader has answered this frame.</summary>
    /// <param name="sequence">The frame.</param>
    /// <param name="since">Timestamp from which the time of all readers counts.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WaitForAnswersAsync(ulong sequence, long since)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.Options.Policy == Policy.Lockstep && subscription.FirstSequence <= sequence) await subscription.WaitForAnswerAsync(sequence, since, _clock);
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
            // Nobody waits for room any more, and readers are told of the end, not of a full queue.
            if (_end is not null) return;
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
        WakeEncoder();
    }

    /// <summary>Ends all subscriptions once what is queued has been offered.</summary>
    public void Finish(SubscriptionEnd end)
    {
        lock (_gate) _end ??= end;
        if (_encoder is null) EndAll(end);
        WakeEncoder();
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
        Interlocked.Exchange(ref _newest, null)?.Release();
        (_encoder as IDisposable)?.Dispose();
    }

    /// <summary>Whether frames take, or are known to take, so long that they must not delay other streams.</summary>
    private bool IsSlow => Key.IsSlow || _meanEncoding >= SlowEncoding;

    private void WakeEncoder() => _ready.Set(_threads, _meanEncoding, IsSlow);

    private async Task EncodeAsync()
    {
        while (true)
        {
            // After a wait for a frame, this is a thread that encodes.
            Frame? frame;
            DroppedFrames missed;
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
            else if (_hasNewcomers)
            {
                await TakeTurnAsync();
                OfferNewest();
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
                continue;
            }
            // Other streams have their turn before the next frame of this one.
            await _threads.TakeTurn(_meanEncoding, IsSlow);
        }
        _room.Set();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask EncodeAsync(Frame frame, DroppedFrames missed)
    {
        if (_sourceWaits) await WaitForReadersAsync(_clock.GetTimestamp());
        await TakeTurnAsync();
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

    /// <summary>Goes on, on a thread that encodes streams such as this one.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask TakeTurnAsync()
    {
        if (!_threads.IsCurrent(IsSlow)) await _threads.TakeTurn(_meanEncoding, IsSlow);
    }

    /// <summary>The frame as all subscribers of the stream get it; null, and the end for all, where it cannot be encoded.</summary>
    private EncodedFrame? Encode(Frame frame, bool mustBeKeyframe)
    {
        var started = _clock.GetTimestamp();
        if (TryEncode(_encoder!, frame, mustBeKeyframe, out var problem) is not { } encoded)
        {
            _framesSinceKeyframe = null;
            EndAll(new(SubscriptionEndReason.BadFrame, $"game loop {frame.GameLoop} cannot be sent as {Key.Format}: {problem}"));
            return null;
        }
        var took = _clock.GetElapsedTime(started);
        // Of the last some eight frames: one that is slow by chance moves it by an eighth.
        _meanEncoding += (took - _meanEncoding) / 8;
        Encoded?.Invoke(took);
        _payloadBytes = Math.Max(_payloadBytes, encoded.Payload.Length);
        _framesSinceKeyframe = encoded.IsKeyframe ? 0 : _framesSinceKeyframe + 1;
        return encoded;
    }

    private EncodedFrame? TryEncode(IFrameEncoder encoder, Frame frame, bool mustBeKeyframe, out string problem)
    {
        var payload = SharedBuffer.Rent(_payloadBytes);
        try
        {
            problem = "";
            var encoded = encoder.Encode(frame.Observation.Span, mustBeKeyframe, payload);
            return EncodedFrame.Encoded(frame, Key.Format, payload, encoded, FrameStamp.MonotonicNow(_clock));
        }
        catch (InvalidDataException e)
        {
            payload.Release();
            problem = e.Message;
            return null;
        }
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

    /// <summary>Gives a new subscriber of plain protobuf the newest frame.</summary>
    private void OfferNewestPlain(Subscription subscription)
    {
        if (_retainNewest() is not { } newest) return;
        var plain = EncodedFrame.Plain(newest);
        subscription.OfferNewest(plain);
        plain.Release();
        newest.Release();
    }

    /// <summary>
    /// Gives the newest frame to subscribers that begin with it and have had none: they show something while a playback is paused. It is encoded once for all
    /// who ask for it, apart from the stream, whose other subscribers have it.
    /// </summary>
    private void OfferNewest()
    {
        _hasNewcomers = false;
        var newcomers = Array.FindAll(_subscriptions, each => each.Options.BeginsWithNewest && each.HasHadNoFrame);
        if (newcomers.Length == 0 || _retainNewest() is not { } newest) return;
        if (_newest?.Sequence != newest.Sequence)
        {
            _newest?.Release();
            _newest = EncodeAlone(newest);
        }
        newest.Release();
        if (_newest is null) return;
        foreach (var subscription in newcomers) subscription.OfferNewest(_newest);
    }

    /// <summary>A frame that decodes without those before it; null where it cannot be encoded, as its subscribers are told by the next one.</summary>
    private EncodedFrame? EncodeAlone(Frame frame)
    {
        var encoder = Key.Format.HasKeyframes ? Key.CreateEncoder()! : _encoder!;
        try
        {
            return TryEncode(encoder, frame, mustBeKeyframe: true, out _);
        }
        finally
        {
            if (encoder != _encoder) (encoder as IDisposable)?.Dispose();
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WaitForReadersAsync(long since)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.IsLossless && !subscription.HasRoom) await WaitForReaderAsync(subscription, since);
        }
    }

    /// <summary>Waits until a lossless reader has room; ends one that takes nothing for too long, or that may not hold up the source any longer.</summary>
    private async ValueTask WaitForReaderAsync(Subscription subscription, long since)
    {
        var mayHoldUp = subscription.Options.MayHoldUp;
        var began = _clock.GetTimestamp();
        _waitsForReaders = true;
        while (!subscription.HasRoom)
        {
            var left = _options.StallTimeout - _clock.GetElapsedTime(since);
            var budget = mayHoldUp ? left : _holdUps.Left(_clock.GetElapsedTime(began));
            if (left > TimeSpan.Zero && budget > TimeSpan.Zero && await subscription.WaitForRoomAsync(left < budget ? left : budget)) continue;
            if (subscription.HasRoom) break;
            left = _options.StallTimeout - _clock.GetElapsedTime(since);
            subscription.Finish(left <= TimeSpan.Zero
                ? new(SubscriptionEndReason.SlowConsumer, $"no frame was taken for {_options.StallTimeout.TotalSeconds:0.###} s with {subscription.Options.BufferFrames} waiting")
                : new(SubscriptionEndReason.SlowConsumer, HeldUpTooLong));
        }
        _waitsForReaders = false;
        if (!mayHoldUp) _holdUps.Spend(_clock.GetElapsedTime(began));
    }

    /// <summary>Waits until the encoder has taken a frame; ends its lossless readers when it may not hold up the source any longer.</summary>
    private async ValueTask WaitForEncoderAsync()
    {
        var began = _clock.GetTimestamp();
        var left = _encoderHoldUps.Left(TimeSpan.Zero);
        if (left <= TimeSpan.Zero || !await _room.WaitAsync(left))
        {
            EndLossless($"encoding {Key.Format} for readers that may only watch has held up the playback for {Seconds(_encoderHoldUps)} s in a minute: use a lower compression level, policy latest, or show the token for acting");
        }
        _encoderHoldUps.Spend(_clock.GetElapsedTime(began));
    }

    private string HeldUpTooLong =>
        $"readers that may only watch have held up the playback for {Seconds(_holdUps)} s in a minute: read faster, use policy latest, or show the token for acting";

    private static string Seconds(HoldUpBudget budget) => budget.PerMinute.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture);

    /// <summary>Offers a frame to all; then those who may lose nothing go on to write it, and then the others.</summary>
    private void OfferToAll(EncodedFrame frame, in DroppedFrames missed)
    {
        var subscriptions = _subscriptions;
        foreach (var subscription in subscriptions)
        {
            if (!subscription.IsLossless || subscription.HasRoom) subscription.Offer(frame, missed);
            else subscription.Finish(new(SubscriptionEndReason.SlowConsumer, $"{subscription.Options.BufferFrames} frames wait already, and this source does not wait"));
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
        // A game loop that goes back is a seek or a new round, and starts the count again.
        if (LastGameLoop is { } last && gameLoop >= last && gameLoop - last < Key.EveryGameLoops && Key.EveryGameLoops > 1) return false;
        LastGameLoop = gameLoop;
        return true;
    }

    private bool IsFull()
    {
        lock (_gate) return _queue.Count >= _options.EncodeQueueFrames;
    }

    private bool HasLossless() => Array.Exists(_subscriptions, subscription => subscription is { IsLossless: true, End: null });

    private bool HasLosslessThatMayHoldUp() => Array.Exists(_subscriptions, subscription => subscription is { IsLossless: true, End: null, Options.MayHoldUp: true });

    private void EndLossless(string message)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.IsLossless) subscription.Finish(new(SubscriptionEndReason.SlowConsumer, message));
        }
    }
}
