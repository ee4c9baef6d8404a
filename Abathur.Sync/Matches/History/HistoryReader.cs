using Abathur.Columns;
using Abathur.Columns.Tables;
using Abathur.Protobuf.FieldMasks;
using Abathur.Sc2;
using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;

namespace Abathur.Sync.Matches.History;

/// <summary>
/// Kept frames as one subscriber gets them: from the first one that it asked for, in its format. A subscriber of complete columns gets the
/// kept payloads from the next keyframe on; for all others each frame is decoded and encoded again. For one task.
/// </summary>
internal sealed class HistoryReader : IDisposable
{
    private const int MaxEventBytes = 256 * 1024;

    private readonly MatchHistory _history;
    private readonly HistoryReaderOptions _options;
    private readonly TimeProvider _clock;
    private readonly HistoryCursor _cursor;
    private readonly ColumnsDecoder _decoder = new();
    private readonly IFrameEncoder? _encoder;
    private readonly GivenPayload? _given;
    private readonly IFrameEncoder? _forGiven;
    private readonly SkippedEvents _events = new(MaxEventBytes);
    private readonly WireProjection? _mask;
    private int _payloadBytes;
    private uint _framesSinceKeyframe;
    private bool _hasKeyframe;
    private bool _usesGiven;
    private ulong _lastSequence;
    private bool _isDisposed;
    private uint? _lastSentLoop;
    private uint _lastLoop;

    /// <summary>The last frame that was read, if downsampling has excluded it: the decoder still has it.</summary>
    private HistoryRecord? _excluded;

    public HistoryReader(MatchHistory history, HistoryReaderOptions options, TimeProvider clock)
    {
        _history = history;
        _options = options;
        _clock = clock;
        _cursor = history.Read(options.FirstGameLoop);
        if (options.FieldMask.Length > 0)
            _mask = WireProjection.For(SC2APIProtocol.ResponseObservation.Descriptor, options.FieldMask.Split(','));
        _encoder = FrameEncoders.Create(options.Format, options.CompressionLevel, options.FieldMask);
        if (options.Format.Encoding != V1.Encoding.Columns || options.FieldMask.Length > 0 || options.EveryGameLoops > 1) return;
        _given = new GivenPayload();
        _forGiven = FrameEncoders.Compress(_given, options.Format, options.CompressionLevel);
    }

    /// <summary>Raised when frames may have been added.</summary>
    public event Action? Grown
    {
        add => _history.Grown += value;
        remove => _history.Grown -= value;
    }

    /// <summary>Whether frames were dropped from the history before they were read: then nothing more can be read.</summary>
    public bool IsLost => _cursor.IsLost;

    /// <summary>Whether published frames are still to be added to the history.</summary>
    public bool MayGrow => _history.HasPending;

    /// <summary>Whether it may begin with the next frame, and there was none.</summary>
    public bool IsEmpty => _lastSequence == 0 && _options.MayBeEmpty;

    /// <summary>Sequence of the newest frame that was read, whether it was sent or not.</summary>
    public ulong LastSequence => _lastSequence;

    /// <summary>The next frame, which the caller releases; false if it does not exist yet.</summary>
    /// <param name="until">Sequence of the last frame to read.</param>
    /// <param name="frame">The frame.</param>
    /// <param name="skipped">What happened in frames that downsampling excluded.</param>
    /// <exception cref="InvalidDataException">It cannot be encoded in the format.</exception>
    public bool TryRead(ulong until, out EncodedFrame frame, out DroppedFrames skipped)
    {
        skipped = default;
        frame = null!;
        while (_lastSequence < until && _cursor.TryRead(out var record))
        {
            if (record.Sequence > until)
            {
                // The frames before it were not kept.
                _lastSequence = until;
                return false;
            }
            if (_lastSequence > 0 && record.Sequence > _lastSequence + 1)
                skipped = skipped.Then(new DroppedFrames(record.Sequence - _lastSequence - 1, _lastLoop + 1, record.GameLoop));
            (_lastSequence, _lastLoop) = (record.Sequence, record.GameLoop);
            var isWanted = record.GameLoop >= (_options.FirstGameLoop ?? 0);
            _usesGiven |= _given is not null && isWanted && record.IsKeyframe;
            CountExcluded();
            if (!_usesGiven) _decoder.Decode(record.Payload.Span);
            if (!isWanted) continue;
            if (!IsDue(record.GameLoop))
            {
                _excluded = record;
                continue;
            }
            skipped = skipped with { Events = TakeEvents() };
            frame = _usesGiven ? Forward(record) : Encode(record);
            return true;
        }
        return false;
    }

    /// <summary>The last frame of a match that is over, if downsampling has excluded it: it has the results, or tells what happened since
    /// the frame before it. The caller releases it.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="skipped">What happened in the frames before it that downsampling has excluded.</param>
    /// <exception cref="InvalidDataException">It cannot be encoded in the format.</exception>
    public bool TryReadLast(out EncodedFrame frame, out DroppedFrames skipped)
    {
        (frame, skipped) = (null!, default);
        if (_excluded is not { } record) return false;
        _excluded = null;
        skipped = skipped with { Events = TakeEvents() };
        frame = Encode(record);
        return true;
    }

    public void Dispose()
    {
        if (_isDisposed) return;
        _isDisposed = true;
        _cursor.Dispose();
        (_encoder as IDisposable)?.Dispose();
        (_forGiven as IDisposable)?.Dispose();
    }

    /// <summary>Keeps what happened in an excluded frame, which another one follows.</summary>
    private void CountExcluded()
    {
        if (_excluded is not null && _decoder.TryGetBlob(BlobId.Rest, out var rest)) _events.Add(rest.Span);
        _excluded = null;
    }

    private bool IsDue(uint gameLoop)
    {
        if (_options.EveryGameLoops > 1 && _lastSentLoop is { } last && gameLoop - last < _options.EveryGameLoops) return false;
        _lastSentLoop = gameLoop;
        return true;
    }

    private SkippedEventsMessage? TakeEvents()
    {
        var message = SkippedEventsMessage.Of(_events, _mask);
        _events.Clear();
        return message;
    }

    /// <summary>Sends the kept payload.</summary>
    private EncodedFrame Forward(in HistoryRecord record)
    {
        var nothing = SharedBuffer.Rent();
        var frame = Published(record, nothing);
        try
        {
            _given!.IsKeyframe = record.IsKeyframe;
            return Encode(frame, _forGiven!, record.Payload.Span, record.IsKeyframe);
        }
        finally
        {
            frame.Release();
        }
    }

    private EncodedFrame Encode(in HistoryRecord record)
    {
        var observation = SharedBuffer.Rent(_payloadBytes);
        _decoder.WriteObservation(observation);
        _payloadBytes = Math.Max(_payloadBytes, observation.Span.Length);
        var frame = Published(record, observation);
        try
        {
            if (_encoder is null) return EncodedFrame.Plain(frame);
            var mustBeKeyframe = !_hasKeyframe || ++_framesSinceKeyframe >= MatchHistory.SegmentFrames;
            _hasKeyframe = true;
            if (mustBeKeyframe) _framesSinceKeyframe = 0;
            return Encode(frame, _encoder, observation.Span, mustBeKeyframe);
        }
        finally
        {
            frame.Release();
        }
    }

    private EncodedFrame Encode(SharedFrame frame, IFrameEncoder encoder, ReadOnlySpan<byte> source, bool mustBeKeyframe)
    {
        var payload = SharedBuffer.Rent();
        try
        {
            var encoded = encoder.Encode(source, mustBeKeyframe, payload);
            return EncodedFrame.Encoded(frame, _options.Format, payload, encoded, FrameStamp.MonotonicNow(_clock));
        }
        catch
        {
            payload.Release();
            throw;
        }
    }

    private SharedFrame Published(in HistoryRecord record, SharedBuffer observation)
    {
        var frame = SharedFrame.Rent(record.GameLoop, record.Captured, observation);
        frame.MarkPublished(_options.MatchId(), record.Sequence, record.Published);
        return frame;
    }
}
