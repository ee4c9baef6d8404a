using System.Buffers;
using Abathur.Protobuf;
using Abathur.Protobuf.Wire;
using Abathur.Sc2;
using Abathur.Sync.Frames;
using Abathur.Sync.Requests;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Sources.Push;

/// <summary>What one bot publishes. For one task at a time.</summary>
public sealed class Publication : IDisposable
{
    /// <summary>Largest message that a bot may publish, in bytes.</summary>
    public const int MaxMessageBytes = 16 * 1024 * 1024;

    private const int MaxTextLength = 256;
    private const double MaxTickHz = 1000;
    private readonly MatchFeed _feed;
    private readonly TimeProvider _clock;
    private readonly Action<Publication> _closed;
    private bool _isClosed;

    internal Publication(MatchFeed feed, TimeProvider clock, Action<Publication> closed) =>
        (_feed, _clock, _closed) = (feed, clock, closed);

    /// <summary>Whether another match may follow.</summary>
    internal bool IsFollowed { get; init; }

    /// <summary>Number of accepted observations.</summary>
    public ulong Frames { get; private set; }

    /// <summary>Whether the match has begun.</summary>
    public bool HasBegun => _feed.HasBegun;

    /// <summary>Whether the bot has ended the publication.</summary>
    public bool IsFinished { get; private set; }

    /// <summary>Sets the match. Called once, before the first observation.</summary>
    /// <returns>The match for agents.</returns>
    /// <exception cref="RefusedException">It is already set, or a value in it is invalid.</exception>
    public Match Begin(Match match)
    {
        if (_feed.HasBegun)
            throw new RefusedException(
                RequestStatus.FailedPrecondition, "the match is already set: send it once, before the first observation");
        foreach (var text in new[] { match.MatchId, match.MapName, match.GameVersion })
        {
            if (text.Length > MaxTextLength)
                throw Invalid($"a text of the match has {text.Length} characters; at most {MaxTextLength} are allowed");
        }
        if (match.TickHz is not (0 or (> 0 and <= MaxTickHz))) throw Invalid($"tick_hz {match.TickHz} is neither 0 nor up to {MaxTickHz}");
        match.Source = SourceKind.Push;
        match.ActionsAllowed = false;
        _feed.Begin(match, match.GameInfo?.ToByteArray() ?? [], match.GameData?.ToByteArray() ?? []);
        return match;
    }

    /// <summary>Processes a serialized <c>PublishRequest</c>. The bytes are copied once.</summary>
    /// <exception cref="RefusedException">It is invalid, or not allowed at this time.</exception>
    public ValueTask AddAsync(ReadOnlySequence<byte> publishRequest)
    {
        var payload = SharedBuffer.Rent((int)publishRequest.Length);
        foreach (var segment in publishRequest) payload.Write(segment.Span);
        return AddAsync(payload);
    }

    /// <summary>The same with bytes that were copied already. Takes the caller's reference.</summary>
    /// <exception cref="RefusedException">It is invalid, or not allowed at this time.</exception>
    public async ValueTask AddAsync(SharedBuffer payload)
    {
        var captured = FrameStamp.Now(_clock);
        try
        {
            if (IsFinished) throw new RefusedException(RequestStatus.FailedPrecondition, "no message may follow the end");
            if (ReadKind(payload, out var body) != PublishRequest.ObservationFieldNumber)
            {
                Add(payload.Span);
                payload.Release();
                return;
            }
            var (offset, length) = body.GetOffsetAndLength(payload.Span.Length);
            payload.Narrow(offset, length);
        }
        catch (Exception e) when (e is InvalidDataException or InvalidProtocolBufferException)
        {
            payload.Release();
            throw Invalid($"not a PublishRequest: {e.Message}");
        }
        catch
        {
            payload.Release();
            throw;
        }
        await PublishAsync(payload, captured);
    }

    /// <summary>Ends the publication. With its answer, the bot may publish the next match; if none follows, the daemon stays until the bot
    /// has the answer, and this is disposed.</summary>
    public PublishResult Finish()
    {
        IsFinished = true;
        if (IsFollowed) Dispose();
        return new PublishResult { Frames = Frames };
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_isClosed) return;
        _isClosed = true;
        _closed(this);
    }

    private async ValueTask PublishAsync(SharedBuffer observation, FrameStamp captured)
    {
        if (!_feed.HasBegun) Begin(new Match());
        var before = _feed.GameLoop;
        if (ObservationWire.TryReadGameLoop(observation.Span, out var gameLoop) && gameLoop < before)
        {
            observation.Release();
            // Seeking in recordings and counting in agents need ascending game loops.
            throw Invalid($"game loop {gameLoop} follows {before}: game loops must not decrease; publish another match for itself");
        }
        try
        {
            await _feed.PublishAsync(observation, captured);
        }
        catch (InvalidDataException e)
        {
            throw Invalid($"not a ResponseObservation: {e.Message}");
        }
        Frames++;
    }

    private void Add(ReadOnlySpan<byte> publishRequest)
    {
        var request = LenientParser.Parse<PublishRequest>(publishRequest);
        switch (request.MessageCase)
        {
            case PublishRequest.MessageOneofCase.Match: Begin(request.Match); break;
            case PublishRequest.MessageOneofCase.Actions: _feed.RecordActions(request.Actions.ToByteArray()); break;
            case PublishRequest.MessageOneofCase.End: IsFinished = true; break;
            default: throw Invalid("expected one of match, observation, actions, end");
        }
    }

    /// <summary>Which field is set: the last one, as in protobuf.</summary>
    private static int ReadKind(SharedBuffer publishRequest, out Range body)
    {
        var kind = 0;
        body = default;
        var reader = new WireReader(publishRequest.Span);
        while (reader.ReadTag())
        {
            if (reader.FieldNumber > PublishRequest.EndFieldNumber || reader.WireType != WireFormat.WireType.LengthDelimited)
            {
                reader.SkipValue();
                continue;
            }
            kind = reader.FieldNumber;
            body = reader.ReadRange();
        }
        return kind;
    }

    private static RefusedException Invalid(string message) => new(RequestStatus.InvalidArgument, message);
}
