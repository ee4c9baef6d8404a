using Abathur.Client.Nats.Wire;
using Abathur.Sync.V1;
using Google.Protobuf;

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

    /// <summary>Gives the constant data of the newest match of the name.</summary>
    private readonly Func<CancellationToken, Task<Lazy<Match>?>> _about;

    /// <summary>Whether a match is over, and the next has not begun.</summary>
    private bool _isBetween;
    private byte[] _message = new byte[64 * 1024];
    private Due _current;

    public NatsSubscription(
        NatsServers servers, StoredMatch stored, string match, SubscribeRequest request, ReaderPlace place, Lazy<Match>? current,
        Func<CancellationToken, Task<Lazy<Match>?>> about)
    {
        (_stored, _request, _place, _about) = (stored, request, place, about);
        if (current is not null) Match = current;
        _position = Math.Max(1, place.Decode) - 1;
        _reading = new StreamReading(servers, stored, match, place.Decode);
    }

    /// <inheritdoc/>
    public override string RunId => _current.Message?.Stamp?.Run ?? "";

    /// <inheritdoc/>
    public override bool CanFollow => true;

    /// <inheritdoc/>
    public override FrameUse Use => _current.Use;

    /// <inheritdoc/>
    public override bool HasGap => _current.HasGap;

    /// <summary>Whether a match has ended as it should: it is over, or the daemon was shut down.</summary>
    public static bool IsOrderly(string end) => end is "OK" or "CANCELLED";

    /// <inheritdoc/>
    public override async ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellationToken)
    {
        while (_next == _due.Count)
        {
            _due.Clear();
            _next = 0;
            try
            {
                await PlanAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (NatsFailure.Of(e) is { } failure)
            {
                throw failure;
            }
        }
        _current = _due[_next++];
        if (_current.Failure is not null) throw _current.Failure;
        return _current.Message is { } message ? AsServerMessage(message.Data.Span)
            : _current.Between is { } between ? between.ToByteArray()
            : EndedSubscription.End;
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) => _reading.Dispose();

    /// <summary>Waits for messages, and decides what becomes of them.</summary>
    private async ValueTask PlanAsync(CancellationToken cancellationToken)
    {
        var first = await _reading.NextAsync(cancellationToken).ConfigureAwait(false);
        if (_request.Policy == Policy.Every || first.Position <= _place.LiveFrom)
        {
            await PlanAsync(first, cancellationToken).ConfigureAwait(false);
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
        var start = 0;
        foreach (var message in batch)
        {
            await PlanAsync(message, cancellationToken).ConfigureAwait(false);
            // The next match may have begun in the same batch.
            if (_end is null && message != batch[^1]) continue;
            GiveNewestOnly(start);
            AddEnd();
            start = _due.Count;
        }
    }

    private async ValueTask PlanAsync(StoredMessage message, CancellationToken cancellationToken)
    {
        var stamp = message.Stamp;
        await CheckOrderAsync(message.Position, cancellationToken).ConfigureAwait(false);
        if (stamp is null || (stamp.End.Length > 0 && message.Position <= _place.After)) return;
        if (_place.Run.Length > 0 && stamp.Run != _place.Run)
        {
            // Of another relay, or of a user who may publish: the match has nothing there.
            if ((await _stored.NewestAsync(cancellationToken).ConfigureAwait(false)).Last?.Run == _place.Run) return;
            if (!_request.Follow) throw new BrokenConnectionException("the daemon began another match");
            GoOn(message.Position - 1, new MatchEnded { RunId = _place.Run, Reason = "its end is not known", Lost = true });
        }
        if (_isBetween && stamp.End.Length == 0)
        {
            _isBetween = false;
            var found = (await _about(cancellationToken).ConfigureAwait(false))?.Value;
            // A reader that is behind knows nothing more of its match.
            var match = found?.RunId == stamp.Run ? found : new Match { RunId = stamp.Run };
            _due.Add(new Due(null, FrameUse.Give, false, null, new ServerMessage { Match = match }));
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
                RequestErrorCode.DataLoss,
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
    private async ValueTask CheckOrderAsync(ulong position, CancellationToken cancellationToken)
    {
        var expected = _position + 1;
        _position = position;
        if (position == expected) return;
        var (first, _) = await _stored.RangeAsync(cancellationToken).ConfigureAwait(false);
        if (first > expected)
        {
            throw new RequestException(
                RequestErrorCode.OutOfRange,
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
        if (_request.Follow && end is "OK" or "ABORTED")
        {
            GoOn(message.Position, new MatchEnded { RunId = message.Stamp.Run, Reason = reason, Lost = end == "ABORTED" });
            return;
        }
        Exception? failure = IsOrderly(end) ? null
            : end == "UNAVAILABLE" ? new BrokenConnectionException(reason)
            : RequestException.OfSubscription(end, reason);
        _due.Add(new Due(null, FrameUse.Give, false, failure));
    }

    /// <summary>A match is over, and the reader follows.</summary>
    private void GoOn(ulong position, MatchEnded ended)
    {
        _due.Add(new Due(null, FrameUse.Give, false, null, new ServerMessage { MatchEnded = ended }));
        (_end, _excluded, _lastLoop, _keyframe, _isBetween) = (null, null, null, 0, true);
        (_place.After, _place.Run, _place.Sequence, _place.Before) = (position, "", null, null);
    }

    /// <summary>Of the frames that would be given, only the newest is.</summary>
    /// <param name="start">The first that is looked at.</param>
    private void GiveNewestOnly(int start)
    {
        var newest = _due.FindLastIndex(each => each is { Use: FrameUse.Give, Message: not null });
        if (newest < start) return;
        _lastLoop = _due[newest].Message!.Stamp!.GameLoop;
        for (var i = start; i < newest; i++)
            if (_due[i] is { Use: FrameUse.Give, Message: not null }) _due[i] = _due[i] with { Use = FrameUse.Skip };
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

    /// <summary>What is due: a frame and what becomes of it; without a message the border of a match, the end, or why the frames break
    /// off.</summary>
    private readonly record struct Due(
        StoredMessage? Message, FrameUse Use, bool HasGap, Exception? Failure, ServerMessage? Between = null);
}
