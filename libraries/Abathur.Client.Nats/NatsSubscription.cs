using Abathur.Client.Nats.Wire;
using Abathur.Sync.V1;

namespace Abathur.Client.Nats;

/// <summary>The frames of a match on NATS, as a policy has them.</summary>
/// <remarks>A reader gets all messages of the stream, because each frame depends on those since its keyframe. Those that the policy leaves
/// out are decoded, and the next frame tells what happened in them.</remarks>
internal sealed class NatsSubscription : DaemonConnection
{
    /// <summary>So many waiting frames are decoded one by one. Of more, those before the newest keyframe are lost.</summary>
    private const int ManyWaiting = 256;

    private readonly StoredMatch _stored;
    private readonly SubscribeRequest _request;
    private readonly ReaderPlace _place;
    private readonly StreamReading _reading;

    /// <summary>What is due, from <see cref="_next"/> on.</summary>
    private readonly List<Due> _due = [];
    private int _next;
    private ulong _position;
    private ulong _keyframe;
    private bool _hasGap;

    /// <summary>Game loop of the last frame that was given.</summary>
    private uint? _lastLoop;

    /// <summary>The newest frame that downsampling leaves out: it is given if it is the last of the match.</summary>
    private StoredMessage? _excluded;

    /// <summary>What says that no frame follows.</summary>
    private StoredMessage? _end;
    private byte[] _message = new byte[64 * 1024];
    private Due _current;

    public NatsSubscription(
        NatsServers servers, StoredMatch stored, string match, SubscribeRequest request, ReaderPlace place, Lazy<Match>? about)
    {
        (_stored, _request, _place) = (stored, request, place);
        if (about is not null) Match = about;
        _position = Math.Max(1, place.Decode) - 1;
        _reading = new StreamReading(servers, stored, match, place.Decode);
    }

    /// <inheritdoc/>
    public override string RunId => _current.Message?.Stamp?.Run ?? "";

    /// <inheritdoc/>
    public override FrameUse Use => _current.Use;

    /// <inheritdoc/>
    public override bool HasGap => _current.HasGap;

    /// <summary>Whether a match has ended as it should: it is over, or the daemon was shut down.</summary>
    public static bool IsOrderly(string end) => end is "OK" or "CANCELLED";

    /// <inheritdoc/>
    public override async ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellation)
    {
        while (_next == _due.Count)
        {
            _due.Clear();
            _next = 0;
            try
            {
                await PlanAsync(cancellation);
            }
            catch (Exception e) when (NatsFailure.Of(e) is { } failure)
            {
                throw failure;
            }
        }
        _current = _due[_next++];
        if (_current.Failure is not null) throw _current.Failure;
        return _current.Message is null ? EndedSubscription.End : AsServerMessage(_current.Message.Data.Span);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) => _reading.Dispose();

    /// <summary>Waits for messages, and decides what becomes of them.</summary>
    private async ValueTask PlanAsync(CancellationToken cancellation)
    {
        var first = await _reading.NextAsync(cancellation);
        if (_request.Policy == Policy.Every || first.Position <= _place.LiveFrom)
        {
            await PlanAsync(first, cancellation);
            AddEnd();
            return;
        }
        // The newest of what has come.
        var batch = new List<StoredMessage> { first };
        while (_reading.TryTake(out var next)) batch.Add(next);
        var keyframe = batch.Count > ManyWaiting ? batch.FindLastIndex(each => each.Stamp?.Keyframe == each.Position) : 0;
        if (keyframe > 0)
        {
            batch.RemoveRange(0, keyframe);
            (_position, _hasGap, _place.Sequence) = (batch[0].Position - 1, true, null);
        }
        foreach (var message in batch) await PlanAsync(message, cancellation);
        GiveNewestOnly();
        AddEnd();
    }

    private async ValueTask PlanAsync(StoredMessage message, CancellationToken cancellation)
    {
        var stamp = message.Stamp;
        await CheckOrderAsync(message.Position, cancellation);
        if (stamp is null || (stamp.End.Length > 0 && message.Position <= _place.After)) return;
        if (_place.Run.Length > 0 && stamp.Run != _place.Run)
        {
            // Of another relay, or of a user who may publish: the match has nothing there.
            if ((await _stored.NewestAsync(cancellation)).Last?.Run == _place.Run) return;
            throw new BrokenConnectionException("the daemon began another match");
        }
        if (stamp.End.Length > 0)
        {
            _place.After = message.Position;
            _end = message;
            return;
        }
        if (stamp.Keyframe != message.Position && stamp.Keyframe != _keyframe)
        {
            _place.Decode = stamp.Keyframe;
            throw new BrokenConnectionException($"the frame at position {message.Position} depends on one that was not read");
        }
        _keyframe = stamp.Keyframe;
        if (message.Position <= _place.After || _place.HasGiven(stamp.Run, stamp.Sequence))
        {
            Add(message, FrameUse.Decode);
            return;
        }
        if (_request.Policy == Policy.Every && _place.Sequence is { } last && stamp.Sequence != last + 1)
        {
            throw new RequestException(
                "DATA_LOSS",
                $"the frames {last + 1} to {stamp.Sequence - 1} are not in the stream: the daemon did not keep them until the relay could "
                    + "send them");
        }
        (_place.Decode, _place.After, _place.Sequence, _place.Run) = (stamp.Keyframe, message.Position, stamp.Sequence, stamp.Run);
        if (_excluded is { } excluded) Add(excluded, FrameUse.Skip);
        _excluded = null;
        if (IsWanted(stamp.GameLoop))
        {
            Add(message, FrameUse.Give);
            if (_request.Policy == Policy.Every || message.Position <= _place.LiveFrom) _lastLoop = stamp.GameLoop;
        }
        else
        {
            _excluded = message;
        }
    }

    /// <summary>Fails if messages are missing: they are not kept any more.</summary>
    private async ValueTask CheckOrderAsync(ulong position, CancellationToken cancellation)
    {
        var expected = _position + 1;
        _position = position;
        if (position == expected) return;
        var (first, _) = await _stored.RangeAsync(cancellation);
        if (first > expected)
        {
            throw new RequestException(
                "OUT_OF_RANGE",
                $"the messages {expected} to {first - 1} of the match are not kept any more: this reader is too slow, or began too early");
        }
        throw new BrokenConnectionException($"the message at position {position} does not follow that at {expected - 1}");
    }

    private bool IsWanted(uint gameLoop) =>
        _request.EveryGameLoops <= 1 || _lastLoop is not { } last || gameLoop < last || gameLoop - last >= _request.EveryGameLoops;

    private void Add(StoredMessage message, FrameUse use)
    {
        _due.Add(new Due(message, use, _hasGap, null));
        _hasGap = false;
    }

    /// <summary>After the last frame of the match, which is given even if downsampling leaves it out.</summary>
    private void AddEnd()
    {
        if (_end is not { Stamp.End: var end } message) return;
        if (_excluded is { } excluded) Add(excluded, FrameUse.Give);
        _excluded = null;
        var reason = System.Text.Encoding.UTF8.GetString(message.Data.Span);
        Exception? failure = IsOrderly(end) ? null
            : end == "UNAVAILABLE" ? new BrokenConnectionException(reason)
            : RequestException.OfSubscription(end, reason);
        _due.Add(new Due(null, FrameUse.Give, false, failure));
    }

    /// <summary>Of the frames that would be given, only the newest is.</summary>
    private void GiveNewestOnly()
    {
        var newest = _due.FindLastIndex(each => each.Use == FrameUse.Give);
        if (newest < 0) return;
        _lastLoop = _due[newest].Message!.Stamp!.GameLoop;
        for (var i = 0; i < newest; i++)
            if (_due[i].Use == FrameUse.Give) _due[i] = _due[i] with { Use = FrameUse.Skip };
    }

    /// <summary>The frame as the field of a <c>ServerMessage</c>, as other connections have it.</summary>
    private ReadOnlyMemory<byte> AsServerMessage(ReadOnlySpan<byte> frame)
    {
        var end = FieldHead.MaxBytes + frame.Length;
        if (_message.Length < end) _message = new byte[2 * end];
        frame.CopyTo(_message.AsSpan(FieldHead.MaxBytes));
        var start = FieldHead.WriteBefore(_message.AsSpan(0, FieldHead.MaxBytes), ServerMessage.FrameFieldNumber, frame.Length);
        return _message.AsMemory(start, end - start);
    }

    /// <summary>What is due: a frame and what becomes of it; without a message the end, or why the frames break off.</summary>
    private readonly record struct Due(StoredMessage? Message, FrameUse Use, bool HasGap, Exception? Failure);
}
