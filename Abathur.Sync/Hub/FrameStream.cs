using System.Globalization;
using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>
/// All subscribers of the same encoding, fields and game loops: each frame is encoded once for all of them. Plain protobuf needs no
/// encoding and is offered by the publisher. All other formats are encoded on <see cref="EncoderThreads"/> after a
/// bounded queue, so that a slow encoding delays neither the source nor a cheaper stream.
/// </summary>
internal sealed class FrameStream : IDisposable
{
    /// <summary>Lossless readers that are served on the thread that has the frame. With more, the work that their writes cause would lack
    /// that thread.</summary>
    private const int ServedAtOnce = 2;

    /// <summary>Frames, and their bytes, that may wait for an encoder if the source does not: on a busy machine a bot may publish those
    /// of a second at once.</summary>
    private const int MaxBurstFrames = 64, MaxBurstBytes = 8 * 1024 * 1024;

    /// <summary>Mean encoding time from which a stream counts as slow.</summary>
    private static readonly TimeSpan SlowEncoding = TimeSpan.FromMilliseconds(20);

    /// <summary>How long a skipping reader that has dropped the newest frame, and reads again, waits for the next one before it gets the
    /// newest by itself. In a running match the next one comes first.</summary>
    private static readonly TimeSpan QuietTime = TimeSpan.FromMilliseconds(100);

    private readonly Lock _gate = new();
    private readonly IFrameEncoder? _encoder;
    private readonly HubOptions _options;
    private readonly bool _sourceWaits;
    private readonly TimeProvider _clock;
    private readonly SubscriberScheduler _readers;
    private readonly EncoderThreads _threads;
    private readonly HoldUpBudget _holdUps;
    private readonly HoldUpBudget _encoderHoldUps;
    private readonly Func<SharedFrame?> _retainNewest;
    private readonly Queue<SharedFrame> _queue = new();
    private readonly AsyncAutoResetEvent _ready;
    private readonly AsyncAutoResetEvent _room;
    private readonly Action _askKeyframeAgain;
    private volatile Subscription[] _subscriptions = [];
    private DroppedFrames _dropped;
    private SharedFrame? _excluded;
    private SubscriptionEnd? _end;
    private long _queuedBytes;
    private int _payloadBytes;
    private int _keyframeAsked;
    private uint? _framesSinceKeyframe;
    private uint _lastEncodedLoop;
    private SharedFrame? _last;
    private EncodedFrame? _newest;
    private TimeSpan _meanEncoding;
    private volatile bool _waitsForReaders;
    private volatile bool _hasNewcomers;

    /// <param name="key">What its subscribers have in common.</param>
    /// <param name="options">Limits.</param>
    /// <param name="sourceWaits">Whether the source can wait for lossless readers.</param>
    /// <param name="clock">Clock of all times.</param>
    /// <param name="readers">Schedules the writes of readers.</param>
    /// <param name="threads">Encode the frames.</param>
    /// <param name="holdUps">How long readers with a watch token may delay the source.</param>
    /// <param name="encoderHoldUps">How long the encoders of such readers may.</param>
    /// <param name="retainNewest">Returns the newest frame of the match, which the stream releases.</param>
    public FrameStream(
        StreamKey key, HubOptions options, bool sourceWaits, TimeProvider clock, SubscriberScheduler readers, EncoderThreads threads,
        HoldUpBudget holdUps, HoldUpBudget encoderHoldUps, Func<SharedFrame?> retainNewest)
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
        _askKeyframeAgain = AskKeyframeAgain;
        Encoding = _encoder is null ? Task.CompletedTask : Task.Run(EncodeAsync);
    }

    public StreamKey Key { get; }

    /// <summary>Called with the encoding time of each frame.</summary>
    public Action<TimeSpan>? Encoded { get; init; }

    public Subscription[] Subscriptions => _subscriptions;

    /// <summary>Game loop of the last frame that the stream took.</summary>
    public uint? LastGameLoop { get; private set; }

    /// <summary>The task that encodes; completes after <see cref="Finish"/>, when all frames were offered.</summary>
    public Task Encoding { get; }

    /// <summary>Adds a subscriber. In a stream with keyframes, the next frame is encoded as a keyframe and is its first one.</summary>
    public void Add(Subscription subscription)
    {
        if (Key.Format.HasKeyframes) subscription.StartAtKeyframe(_askKeyframeAgain);
        // Request the keyframe after the subscriber was added, so that it is offered to the subscriber.
        _subscriptions = [.. _subscriptions, subscription];
        AskKeyframe();
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

    /// <summary>Waits until the next frame can be offered to all lossless readers.</summary>
    /// <param name="since">Start of the timeout for readers that read nothing.</param>
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
            // The time of readers that block the encoder is counted where the encoder waits for them.
            if (_waitsForReaders || HasLosslessThatMayHoldUp()) await _room.WaitAsync();
            else await WaitForEncoderAsync();
        }
    }

    /// <summary>Waits until each lockstep reader has acknowledged this frame.</summary>
    /// <param name="sequence">The frame.</param>
    /// <param name="since">Start of the timeout for all readers.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WaitForAnswersAsync(ulong sequence, long since)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.Options.Policy == Policy.Lockstep && subscription.FirstSequence <= sequence)
                await subscription.WaitForAnswerAsync(sequence, since, _clock);
        }
    }

    /// <summary>Offers a frame to all subscribers, unless <see cref="StreamKey.EveryGameLoops"/> excludes it. Never waits.</summary>
    public void Offer(SharedFrame frame)
    {
        if (!Wants(frame.GameLoop))
        {
            KeepExcluded(frame);
            return;
        }
        KeepExcluded(null);
        Enqueue(frame);
    }

    private void Enqueue(SharedFrame frame)
    {
        if (_encoder is null)
        {
            var plain = EncodedFrame.Plain(frame);
            OfferToAll(plain, default);
            plain.Release();
            return;
        }
        lock (_gate)
        {
            // The stream has ended: readers get that reason, not that of a full queue.
            if (_end is not null) return;
            if (IsOverfull() && HasLossless()) EndLossless($"encoding {Key.Format} does not keep up with the source");
            while (!HasLossless() && TryDequeue() is { } oldest)
            {
                _dropped = _dropped.Then(oldest.GameLoop);
                oldest.Release();
            }
            frame.Retain();
            _queue.Enqueue(frame);
            _queuedBytes += frame.Observation.Length;
        }
        WakeEncoder();
    }

    /// <summary>Ends all subscriptions after the queued frames have been offered, and the last one even if downsampling has excluded it:
    /// it has the results of the match, or tells what happened since the frame before it.</summary>
    public void Finish(SubscriptionEnd end)
    {
        if (_excluded is { } last) Enqueue(last);
        KeepExcluded(null);
        lock (_gate) _end ??= end;
        if (_encoder is null) EndAll(end);
        WakeEncoder();
        // Ends the wait of a source for the encoder.
        _room.Set();
    }

    /// <summary>Ends all subscriptions now: frames queued for the encoder are dropped.</summary>
    public void EndAll(SubscriptionEnd end)
    {
        foreach (var subscription in _subscriptions) subscription.Finish(end);
    }

    public void Dispose()
    {
        _ready.Dispose();
        _room.Dispose();
        // Both the end of the match and the end of the last subscription may call this.
        Interlocked.Exchange(ref _last, null)?.Release();
        Interlocked.Exchange(ref _newest, null)?.Release();
        KeepExcluded(null);
        (_encoder as IDisposable)?.Dispose();
    }

    /// <summary>Whether frames take, or are expected to take, so long that they must not delay other streams.</summary>
    private bool IsSlow => Key.IsSlow || _meanEncoding >= SlowEncoding;

    private void AskKeyframe() => Volatile.Write(ref _keyframeAsked, 1);

    private void AskKeyframeAgain()
    {
        AskKeyframe();
        // If nothing is published, the subscriber gets the newest frame that there is.
        WakeEncoder();
    }

    private void WakeEncoder() => _ready.Set(_threads, _meanEncoding, IsSlow);

    private async Task EncodeAsync()
    {
        while (true)
        {
            // After a wait for a frame, this runs on an encoder thread.
            SharedFrame? frame;
            DroppedFrames dropped;
            lock (_gate)
            {
                frame = TryDequeue();
                dropped = _dropped;
                if (frame is not null) _dropped = default;
            }
            if (frame is not null)
            {
                _room.Set();
                await EncodeAsync(frame, dropped);
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
            else if (Array.Exists(_subscriptions, subscription => subscription.LacksNewest))
            {
                if (await _ready.WaitAsync(QuietTime)) continue;
                await TakeTurnAsync();
                OfferNewestAgain();
            }
            else
            {
                await _ready.WaitAsync();
                continue;
            }
            // Let other streams encode before the next frame of this one.
            await _threads.TakeTurn(_meanEncoding, IsSlow);
        }
        _room.Set();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask EncodeAsync(SharedFrame frame, DroppedFrames dropped)
    {
        if (_sourceWaits) await WaitForReadersAsync(_clock.GetTimestamp());
        await TakeTurnAsync();
        if (Encode(frame, MustBeKeyframe(frame.GameLoop)) is { } encoded)
        {
            OfferToAll(encoded, dropped);
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

    /// <summary>Continues on an encoder thread for this kind of stream.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask TakeTurnAsync()
    {
        if (!_threads.IsCurrent(IsSlow)) await _threads.TakeTurn(_meanEncoding, IsSlow);
    }

    /// <summary>The encoded frame for all subscribers. If it cannot be encoded, ends all subscriptions and returns null.</summary>
    private EncodedFrame? Encode(SharedFrame frame, bool mustBeKeyframe)
    {
        var started = _clock.GetTimestamp();
        if (TryEncode(_encoder!, frame, mustBeKeyframe, out var problem) is not { } encoded)
        {
            _framesSinceKeyframe = null;
            EndAll(new(SubscriptionEndReason.BadFrame, $"game loop {frame.GameLoop} cannot be sent as {Key.Format}: {problem}"));
            return null;
        }
        var took = _clock.GetElapsedTime(started);
        // Moving average: a single slow frame changes it by an eighth.
        _meanEncoding += (took - _meanEncoding) / 8;
        Encoded?.Invoke(took);
        _payloadBytes = Math.Max(_payloadBytes, encoded.Payload.Length);
        _framesSinceKeyframe = encoded.IsKeyframe ? 0 : _framesSinceKeyframe + 1;
        return encoded;
    }

    private EncodedFrame? TryEncode(IFrameEncoder encoder, SharedFrame frame, bool mustBeKeyframe, out string problem)
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

    /// <summary>Offers the last frame of the match, as a keyframe, to subscribers that were not reading when it ended.</summary>
    private void OfferLastAgain()
    {
        var behind = Array.FindAll(_subscriptions, subscription => subscription.IsBehind);
        if (behind.Length == 0 || _last is null || Encode(_last, mustBeKeyframe: true) is not { } keyframe) return;
        foreach (var subscription in behind) subscription.OfferDroppedAgain(keyframe);
        keyframe.Release();
    }

    /// <summary>Offers the newest frame to subscribers that have dropped it and read again while nothing is published: a game that is
    /// paused, or a bot that thinks. It is encoded separately from the stream, in which the next frame is a keyframe.</summary>
    private void OfferNewestAgain()
    {
        var lacking = Array.FindAll(_subscriptions, subscription => subscription.LacksNewest);
        if (lacking.Length == 0 || _last is null || EncodeAlone(_last) is not { } newest) return;
        foreach (var subscription in lacking) subscription.OfferDroppedAgain(newest, staysBehind: true);
        newest.Release();
    }

    /// <summary>Whether this frame has to be a keyframe: the first one, requested, due by the interval, or after the match went
    /// back.</summary>
    private bool MustBeKeyframe(uint gameLoop)
    {
        var wentBack = gameLoop < _lastEncodedLoop;
        _lastEncodedLoop = gameLoop;
        var isAsked = Interlocked.Exchange(ref _keyframeAsked, 0) != 0;
        if (isAsked || wentBack || _framesSinceKeyframe is not { } since) return true;
        return _options.KeyframeIntervalFrames > 0 && since + 1 >= _options.KeyframeIntervalFrames;
    }

    /// <summary>Offers the newest frame to a new subscriber of plain protobuf.</summary>
    private void OfferNewestPlain(Subscription subscription)
    {
        if (_retainNewest() is not { } newest) return;
        var plain = EncodedFrame.Plain(newest);
        subscription.OfferNewest(plain);
        plain.Release();
        newest.Release();
    }

    /// <summary>
    /// Offers the newest frame to new subscribers that begin with it, so that they can show something while a playback is paused. It is
    /// encoded once for all of them, separately from the stream, whose other subscribers already have it.
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

    /// <summary>A frame that decodes without those before it; null if it cannot be encoded: the next frame then reports the error to the
    /// subscribers.</summary>
    private EncodedFrame? EncodeAlone(SharedFrame frame)
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

    /// <summary>Waits until the queue of a lossless reader has room. Ends its subscription if it reads nothing for too long, or may not
    /// delay the source any longer.</summary>
    private async ValueTask WaitForReaderAsync(Subscription subscription, long since)
    {
        var mayHoldUp = subscription.Options.MayHoldUp;
        var began = _clock.GetTimestamp();
        _waitsForReaders = true;
        while (!subscription.HasRoom)
        {
            var left = _options.StallTimeout - _clock.GetElapsedTime(since);
            var budget = mayHoldUp ? left : _holdUps.Left(_clock.GetElapsedTime(began));
            if (left > TimeSpan.Zero && budget > TimeSpan.Zero && await subscription.WaitForRoomAsync(left < budget ? left : budget))
                continue;
            if (subscription.HasRoom) break;
            left = _options.StallTimeout - _clock.GetElapsedTime(since);
            subscription.Finish(left <= TimeSpan.Zero
                ? new(
                    SubscriptionEndReason.SlowConsumer,
                    $"no frame was read for {_options.StallTimeout.TotalSeconds:0.###} s with {subscription.Options.BufferFrames} queued")
                : new(SubscriptionEndReason.SlowConsumer, HeldUpTooLong));
        }
        _waitsForReaders = false;
        if (!mayHoldUp) _holdUps.Spend(_clock.GetElapsedTime(began));
    }

    /// <summary>Waits until the encoder has taken a frame. Ends its lossless subscriptions if it may not delay the source any
    /// longer.</summary>
    private async ValueTask WaitForEncoderAsync()
    {
        var began = _clock.GetTimestamp();
        var left = _encoderHoldUps.Left(TimeSpan.Zero);
        if (left <= TimeSpan.Zero || !await _room.WaitAsync(left))
        {
            EndLossless($"encoding {Key.Format} for readers with a watch token has delayed the playback for {Seconds(_encoderHoldUps)} "
                + "s in a minute: use a lower compression level, policy latest, or a token for acting");
        }
        _encoderHoldUps.Spend(_clock.GetElapsedTime(began));
    }

    private string HeldUpTooLong =>
        $"readers with a watch token have delayed the playback for {Seconds(_holdUps)} s in a minute: read faster, use policy latest, "
            + "or a token for acting";

    private static string Seconds(HoldUpBudget budget) => budget.PerMinute.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture);

    /// <summary>Offers a frame to all subscribers, then schedules the writes: lossless readers first.</summary>
    private void OfferToAll(EncodedFrame frame, in DroppedFrames dropped)
    {
        var subscriptions = _subscriptions;
        foreach (var subscription in subscriptions)
        {
            if (!subscription.IsLossless || subscription.HasRoom) subscription.Offer(frame, dropped);
            else subscription.Finish(new(
                SubscriptionEndReason.SlowConsumer,
                $"{subscription.Options.BufferFrames} frames are queued, and this source does not wait for readers"));
        }
        // A publisher that may wait for readers can also write for the first lossless ones.
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

    /// <summary>Keeps the newest frame that downsampling has excluded, until another one is sent.</summary>
    private void KeepExcluded(SharedFrame? frame)
    {
        frame?.Retain();
        Interlocked.Exchange(ref _excluded, frame)?.Release();
    }

    private bool Wants(uint gameLoop)
    {
        // A game loop that goes back is a seek or a new round, and restarts the count.
        if (LastGameLoop is { } last && gameLoop >= last && gameLoop - last < Key.EveryGameLoops && Key.EveryGameLoops > 1) return false;
        LastGameLoop = gameLoop;
        return true;
    }

    private bool IsFull()
    {
        lock (_gate) return _queue.Count >= _options.EncodeQueueFrames;
    }

    // Under the lock, as the next one.
    private bool IsOverfull() => _queue.Count >= _options.EncodeQueueFrames
        && (_sourceWaits || _queue.Count >= MaxBurstFrames || _queuedBytes > MaxBurstBytes);

    private SharedFrame? TryDequeue()
    {
        if (!_queue.TryDequeue(out var frame)) return null;
        _queuedBytes -= frame.Observation.Length;
        return frame;
    }

    private bool HasLossless() => Array.Exists(_subscriptions, subscription => subscription is { IsLossless: true, End: null });

    private bool HasLosslessThatMayHoldUp() =>
        Array.Exists(_subscriptions, subscription => subscription is { IsLossless: true, End: null, Options.MayHoldUp: true });

    private void EndLossless(string message)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.IsLossless) subscription.Finish(new(SubscriptionEndReason.SlowConsumer, message));
        }
    }
}
