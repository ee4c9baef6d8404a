using Abathur.Recordings;
using Abathur.Sc2;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Recording;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;
using Event = Abathur.Sync.V1.Event;
using Frame = Abathur.Sync.Frames.Frame;

namespace Abathur.Sync.Sources.Feed;

/// <summary>
/// What all sources of a running game share: the match is made known once, each observation goes to the hub and into the recording, and so do
/// what the bot did and how it ended. One caller at a time. It never waits for a reader unless the hub was told that its source does.
/// </summary>
public sealed class MatchFeed(FrameHub hub, MatchRecorder? recorder, TimeProvider clock)
{
    private readonly FrameStamp _start = FrameStamp.Now(clock);
    private long _drawingsRecorded;
    private volatile bool _isOver;

    /// <summary>Whether publishing waits for a disk that is too slow, rather than leave frames out of the recording. Default: no.</summary>
    public bool WaitsForRecorder { get; init; }

    /// <summary>Whether the match is known.</summary>
    public bool HasBegun => hub.Match is not null;

    /// <summary>Game loop of the newest observation.</summary>
    public uint GameLoop { get; private set; }

    /// <summary>When the newest observation was published, on the monotonic clock.</summary>
    public long PublishedTimestamp { get; private set; }

    /// <summary>How the match ended for each player, as soon as an observation said so.</summary>
    public IReadOnlyList<PlayerResult> Results { get; private set; } = [];

    /// <summary>The results in a line, for people.</summary>
    public string Outcome => "match over: " + string.Join(", ", Results.Select(each => $"player {each.PlayerId} {each.Result}"));

    /// <summary>Makes the match known. Once, before the first observation.</summary>
    /// <param name="match">
    /// What agents are told. match_id, run_id and tick_hz are filled in where they are not set, map and game info where they are known.
    /// </param>
    /// <param name="gameInfo"><c>ResponseGameInfo</c> as the game wrote it; empty where unknown.</param>
    /// <param name="gameData"><c>ResponseData</c> as the game wrote it; empty where unknown.</param>
    /// <exception cref="Google.Protobuf.InvalidProtocolBufferException">They are not that.</exception>
    public void Begin(Match match, ReadOnlyMemory<byte> gameInfo, ReadOnlyMemory<byte> gameData)
    {
        if (match.MatchId.Length == 0) match.MatchId = Guid.NewGuid().ToString("N");
        match.RunId = Guid.NewGuid().ToString("N");
        if (match.TickHz == 0) match.TickHz = GameTime.LoopsPerSecond;
        if (!gameInfo.IsEmpty) match.GameInfo ??= ResponseGameInfo.Parser.ParseFrom(gameInfo.Span);
        if (!gameData.IsEmpty) match.GameData ??= ResponseData.Parser.ParseFrom(gameData.Span);
        if (match.MapName.Length == 0) match.MapName = match.GameInfo?.MapName ?? "";
        if (recorder is not null)
        {
            recorder.Begin(new RecordingMatch
            {
                MatchId = match.MatchId,
                PlayerId = match.PlayerId,
                MapName = match.MapName,
                GameVersion = match.GameVersion,
                TickHz = match.TickHz,
                Source = match.Source.ToString().ToLowerInvariant(),
                Simulated = match.Simulated,
            });
            var now = LogTime(FrameStamp.Now(clock));
            if (!gameInfo.IsEmpty) recorder.AddGameInfo(now, gameInfo.ToArray());
            if (!gameData.IsEmpty) recorder.AddGameData(now, gameData.ToArray());
            recorder.AddEvent(now, new Event { MatchStarted = new() });
        }
        hub.Begin(match);
    }

    /// <summary>Publishes and records an observation, whose reference it takes over.</summary>
    /// <exception cref="InvalidDataException">It is not a serialized <c>ResponseObservation</c>; the reference is given back.</exception>
    public async ValueTask PublishAsync(SharedBuffer observation, FrameStamp captured)
    {
        uint gameLoop;
        var ends = false;
        try
        {
            (gameLoop, var hasResults) = ObservationWire.ReadGameLoopAndEnd(observation.Span);
            ends = hasResults && Results.Count == 0;
            // Once a match: worth a parser.
            if (ends) Results = [.. ResponseObservation.Parser.ParseFrom(observation.Span).PlayerResult];
        }
        catch (Exception e) when (e is InvalidDataException or InvalidProtocolBufferException)
        {
            observation.Release();
            throw e as InvalidDataException ?? new InvalidDataException(e.Message, e);
        }
        GameLoop = gameLoop;
        if (WaitsForRecorder && recorder is not null) await recorder.WaitForRoomAsync();
        hub.Drawings.Advance(gameLoop);
        RecordDrawings(LogTime(captured));
        recorder?.AddObservation(gameLoop, LogTime(captured), observation);
        if (ends) RecordEnd(captured);
        PublishedTimestamp = clock.GetTimestamp();
        await hub.PublishAsync(Frame.Rent(gameLoop, captured, observation));
    }

    /// <summary>
    /// The match is over, or its source is: what was drawn since the last observation is recorded. Actions and steps that come later belong to another match,
    /// and are not recorded.
    /// </summary>
    public void End()
    {
        if (_isOver) return;
        _isOver = true;
        RecordDrawings(LogTime(FrameStamp.Now(clock)));
    }

    /// <summary>Records actions of the bot or of an agent. The bytes, a <c>RequestAction</c>, are copied.</summary>
    public void RecordActions(ReadOnlySpan<byte> requestAction)
    {
        if (!_isOver) recorder?.AddActions(GameLoop, LogTime(FrameStamp.Now(clock)), requestAction.ToArray());
    }

    /// <summary>Records that the game was asked for more game loops.</summary>
    public void RecordStep(uint count)
    {
        if (!_isOver) recorder?.AddEvent(LogTime(FrameStamp.Now(clock)), new Event { GameLoop = GameLoop, Stepped = new() { Count = count } });
    }

    /// <summary>A moment in the recording: UTC as it was at the start, and from there the monotonic clock. A UTC that is set meanwhile does not turn the file's order around.</summary>
    private long LogTime(FrameStamp stamp) => _start.UnixNs + (stamp.MonotonicNs - _start.MonotonicNs);

    /// <summary>Once an observation at most, however often agents draw.</summary>
    private void RecordDrawings(long capturedUnixNs)
    {
        if (recorder is null || hub.Drawings.Version == _drawingsRecorded) return;
        recorder.AddDrawings(GameLoop, capturedUnixNs, hub.Drawings.Read(out _drawingsRecorded).ToByteArray());
    }

    private void RecordEnd(FrameStamp captured)
    {
        var ended = new Event.Types.MatchEnded();
        ended.PlayerResult.AddRange(Results);
        recorder?.AddEvent(LogTime(captured), new Event { GameLoop = GameLoop, MatchEnded = ended });
    }
}
