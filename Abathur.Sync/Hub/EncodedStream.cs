using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;
using Abathur.Sync.Hub.Scheduling;

namespace Abathur.Sync.Hub;

/// <summary>
/// Frames that are encoded once for all subscribers, on <see cref="EncoderThreads"/>, after a bounded queue, so that a slow encoding delays
/// neither the source nor a cheaper stream.
/// </summary>
internal sealed class EncodedStream : FrameStream
{
    /// <summary>Frames, and their bytes, that may wait for an encoder if the source does not: on a busy machine a bot may publish those
    /// of a second at once.</summary>
    private const int MaxBurstFrames = 64, MaxBurstBytes = 8 * 1024 * 1024;

    /// <summary>Mean encoding time from which a stream counts as slow.</summary>
    private static readonly TimeSpan SlowEncoding = TimeSpan.FromMilliseconds(20);

    /// <summary>How long a skipping reader that has dropped the newest frame, and reads again, waits for the next one before it gets the
    /// newest by itself. In a running match the next one comes first.</summary>
    private static readonly TimeSpan QuietTime = TimeSpan.FromMilliseconds(100);

    private readonly Lock _gate = new();
    private readonly IFrameEncoder _encoder;
    private readonly Queue<SharedFrame> _queue = new();
    private readonly AsyncAutoResetEvent _ready;
    private readonly AsyncAutoResetEvent _room;
    private readonly Action _askKeyframeAgain;
    private DroppedFrames _dropped;
    private SubscriptionEnd? _end;
    private long _queuedBytes;
    private int _payloadBytes;
    private int _keyframeAsked;
    private uint? _framesSinceKeyframe;
    private uint _lastEncodedLoop;
    private SharedFrame? _last;
    private EncodedFrame? _newest;
    private TimeSpan _meanEncoding;
    private volatile bool _hasNewcomers;

    /// <param name="key">What its subscribers have in common.</param>
    /// <param name="encoder">Encodes the frames.</param>
    /// <param name="context">What it shares with the other streams.</param>
    public EncodedStream(StreamKey key, IFrameEncoder encoder, StreamContext context)
        : base(key, context)
    {
        _encoder = encoder;
        _ready = new AsyncAutoResetEvent(context.Clock);
        _room = new AsyncAutoResetEvent(context.Clock);
        _askKeyframeAgain = AskKeyframeAgain;
        Encoding = Task.Run(EncodeAsync);
    }

    /// <inheritdoc/>
    public override Task Encoding { get; }

    /// <inheritdoc/>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask WaitForRoomAsync(long since)
    {
        while (_end is null && IsFull() && HasLossless())
        {
            // The time of readers that block the encoder is counted where the encoder waits for them.
            if (WaitsForReaders || HasLosslessThatMayHoldUp()) await _room.WaitAsync();
            else await WaitForEncoderAsync();
        }
    }

    public override void Dispose()
    {
        _ready.Dispose();
        _room.Dispose();
        // Both the end of the match and the end of the last subscription may call this.
        Interlocked.Exchange(ref _last, null)?.Release();
        Interlocked.Exchange(ref _newest, null)?.Release();
        (_encoder as IDisposable)?.Dispose();
        base.Dispose();
    }

    /// <inheritdoc/>
    protected override void Prepare(Subscription subscription)
    {
        if (Key.Format.HasKeyframes) subscription.StartAtKeyframe(_askKeyframeAgain);
    }

    /// <inheritdoc/>
    protected override void Welcome(Subscription subscription)
    {
        // After the subscriber was added, so that the keyframe is offered to it.
        AskKeyframe();
        if (!subscription.Options.BeginsWithNewest) return;
        _hasNewcomers = true;
        WakeEncoder();
    }

    /// <inheritdoc/>
    protected override void Take(SharedFrame frame)
    {
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

    /// <inheritdoc/>
    protected override void End(SubscriptionEnd end)
    {
        lock (_gate) _end ??= end;
        WakeEncoder();
        // Ends the wait of a source for the encoder.
        _room.Set();
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

    private void WakeEncoder() => _ready.Set(Context.Threads, _meanEncoding, IsSlow);

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
            else if (Array.Exists(Subscriptions, subscription => subscription.LacksNewest))
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
            await Context.Threads.TakeTurn(_meanEncoding, IsSlow);
        }
        _room.Set();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask EncodeAsync(SharedFrame frame, DroppedFrames dropped)
    {
        if (Context.SourceWaits) await WaitForReadersAsync(Context.Clock.GetTimestamp());
        await TakeTurnAsync();
        if (Encode(frame, MustBeKeyframe(frame.GameLoop)) is { } encoded)
        {
            OfferToAll(encoded, dropped, ServedAtOnce);
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
        if (!Context.Threads.IsCurrent(IsSlow)) await Context.Threads.TakeTurn(_meanEncoding, IsSlow);
    }

    /// <summary>The encoded frame for all subscribers. If it cannot be encoded, ends all subscriptions and returns null.</summary>
    private EncodedFrame? Encode(SharedFrame frame, bool mustBeKeyframe)
    {
        var started = Context.Clock.GetTimestamp();
        if (TryEncode(_encoder, frame, mustBeKeyframe, out var problem) is not { } encoded)
        {
            _framesSinceKeyframe = null;
            EndAll(new(SubscriptionEndReason.BadFrame, $"game loop {frame.GameLoop} cannot be sent as {Key.Format}: {problem}"));
            return null;
        }
        var took = Context.Clock.GetElapsedTime(started);
        // Moving average: a single slow frame changes it by an eighth.
        _meanEncoding += (took - _meanEncoding) / 8;
        Context.Share.Encoded?.Invoke(Key.Format, took);
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
            return EncodedFrame.Encoded(frame, Key.Format, payload, encoded, FrameStamp.MonotonicNow(Context.Clock));
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
        var behind = Array.FindAll(Subscriptions, subscription => subscription.IsBehind);
        if (behind.Length == 0 || _last is null || Encode(_last, mustBeKeyframe: true) is not { } keyframe) return;
        foreach (var subscription in behind) subscription.OfferDroppedAgain(keyframe);
        keyframe.Release();
    }

    /// <summary>Offers the newest frame to subscribers that have dropped it and read again while nothing is published: a game that is
    /// paused, or a bot that thinks. It is encoded separately from the stream, in which the next frame is a keyframe.</summary>
    private void OfferNewestAgain()
    {
        var lacking = Array.FindAll(Subscriptions, subscription => subscription.LacksNewest);
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
        return Context.Options.KeyframeIntervalFrames > 0 && since + 1 >= Context.Options.KeyframeIntervalFrames;
    }

    /// <summary>
    /// Offers the newest frame to new subscribers that begin with it, so that they can show something while a playback is paused. It is
    /// encoded once for all of them, separately from the stream, whose other subscribers already have it.
    /// </summary>
    private void OfferNewest()
    {
        _hasNewcomers = false;
        var newcomers = Array.FindAll(Subscriptions, each => each.Options.BeginsWithNewest && each.HasHadNoFrame);
        if (newcomers.Length == 0 || Context.RetainNewest() is not { } newest) return;
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
        var encoder = Key.Format.HasKeyframes ? Key.CreateEncoder()! : _encoder;
        try
        {
            return TryEncode(encoder, frame, mustBeKeyframe: true, out _);
        }
        finally
        {
            if (encoder != _encoder) (encoder as IDisposable)?.Dispose();
        }
    }

    /// <summary>Waits until the encoder has taken a frame. Ends its lossless subscriptions if it may not delay the source any
    /// longer.</summary>
    private async ValueTask WaitForEncoderAsync()
    {
        var began = Context.Clock.GetTimestamp();
        var left = Context.Limits.EncoderHoldUps.Left(TimeSpan.Zero);
        if (left <= TimeSpan.Zero || !await _room.WaitAsync(left))
        {
            EndLossless($"encoding {Key.Format} for readers with a watch token has delayed the playback for "
                + $"{Seconds(Context.Limits.EncoderHoldUps)} s in a minute: use a lower compression level, policy "
                + "latest, or a token for acting");
        }
        Context.Limits.EncoderHoldUps.Spend(Context.Clock.GetElapsedTime(began));
    }

    private bool IsFull()
    {
        lock (_gate) return _queue.Count >= Context.Options.EncodeQueueFrames;
    }

    // Under the lock, as the next one.
    private bool IsOverfull() => _queue.Count >= Context.Options.EncodeQueueFrames
        && (Context.SourceWaits || _queue.Count >= MaxBurstFrames || _queuedBytes > MaxBurstBytes);

    private SharedFrame? TryDequeue()
    {
        if (!_queue.TryDequeue(out var frame)) return null;
        _queuedBytes -= frame.Observation.Length;
        return frame;
    }

    private bool HasLosslessThatMayHoldUp() =>
        Array.Exists(Subscriptions, subscription => subscription is { IsLossless: true, End: null, Options.MayAct: true });
}
