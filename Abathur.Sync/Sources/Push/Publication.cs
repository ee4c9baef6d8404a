using System.Buffers;
using Abathur.Grpc;
using Abathur.Protobuf.Wire;
using Abathur.Sc2;
using Abathur.Sync.Frames;
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

    internal Publication(MatchFeed feed, TimeProvider clock, Action<Publication> closed) => (_feed, _clock, _closed) = (feed, clock, closed);

    /// <summary>Observations taken.</summary>
    public ulong Frames { get; private set; }

    /// <summary>Whether the match is known.</summary>
    public bool HasBegun => _feed.HasBegun;

    /// <summary>Whether the bot has said that nothing follows.</summary>
    public bool IsFinished { get; private set; }

    /// <summary>Makes the match known. Once, before the first observation.</summary>
    /// <returns>The match as agents are told.</returns>
    /// <exception cref="GrpcException">It is known already, or something in it cannot be.</exception>
    public Match Begin(Match match)
    {
        if (_feed.HasBegun) throw new GrpcException(GrpcStatusCode.FailedPrecondition, "the match is known already: it comes before the first observation, once");
        foreach (var text in new[] { match.MatchId, match.MapName, match.GameVersion })
        {
            if (text.Length > MaxTextLength) throw Invalid($"a text of the match has {text.Length} characters; at most {MaxTextLength} are allowed");
        }
        if (match.TickHz is not (0 or (> 0 and <= MaxTickHz))) throw Invalid($"tick_hz {match.TickHz} is neither 0 nor up to {MaxTickHz}");
        match.Source = SourceKind.Push;
        match.ActionsAllowed = false;
        _feed.Begin(match, match.GameInfo?.ToByteArray() ?? [], match.GameData?.ToByteArray() ?? []);
        return match;
    }

    /// <summary>Takes a serialized <c>PublishRequest</c>. The bytes are copied, once.</summary>
    /// <exception cref="GrpcException">It is not one, or comes at the wrong time.</exception>
    public async ValueTask AddAsync(ReadOnlySequence<byte> publishRequest)
    {
        if (IsFinished) throw new GrpcException(GrpcStatusCode.FailedPrecondition, "nothing may follow the end");
        var captured = FrameStamp.Now(_clock);
        var payload = SharedBuffer.Rent((int)publishRequest.Length);
        foreach (var segment in publishRequest) payload.Write(segment.Span);
        try
        {
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

    /// <summary>The bot has published all.</summary>
    public PublishResult Finish()
    {
        IsFinished = true;
        return new PublishResult { Frames = Frames };
    }

    /// <inheritdoc/>
    public void Dispose() => _closed(this);

    private async ValueTask PublishAsync(SharedBuffer observation, FrameStamp captured)
    {
        if (!_feed.HasBegun) Begin(new Match());
        var before = _feed.GameLoop;
        if (ObservationWire.TryReadGameLoop(observation.Span, out var gameLoop) && gameLoop < before)
        {
            observation.Release();
            // A recording is sought by game loop, and agents count them.
            throw Invalid($"game loop {gameLoop} comes after {before}: a match goes forward, and another match needs another daemon");
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
        var request = PublishRequest.Parser.ParseFrom(publishRequest);
        switch (request.MessageCase)
        {
            case PublishRequest.MessageOneofCase.Match: Begin(request.Match); break;
            case PublishRequest.MessageOneofCase.Actions: _feed.RecordActions(request.Actions.ToByteArray()); break;
            case PublishRequest.MessageOneofCase.End: IsFinished = true; break;
            default: throw Invalid("expected one of match, observation, actions, end");
        }
    }

    /// <summary>Which message is set: the last one, as protobuf has it.</summary>
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

    private static GrpcException Invalid(string message) => new(GrpcStatusCode.InvalidArgument, message);
}
