using Abathur.Protobuf;
using Abathur.Recordings;
using Abathur.Sc2;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;
using Event = Abathur.Sync.V1.Event;

namespace Abathur.Sync.Sources.Feed;

/// <summary>
/// One match of a running game, for all sources of such: begins it, publishes and records each observation, records the bot's actions, and
/// ends it. One caller at a time. It waits for readers only if its source waits.
/// </summary>
public sealed class MatchFeed
{
    private readonly IMatchSink _sink;
    private readonly MatchRecordings? _recordings;
    private readonly TimeProvider _clock;
    private readonly FrameStamp _start;
    private MatchRun? _run;
    private MatchRecorder? _recorder;
    private long _drawingsRecorded;
    private volatile bool _isOver;
    private volatile bool _isOffered = true;

    /// <param name="sink">Where it is published.</param>
    /// <param name="recordings">Records it; null: it is not recorded.</param>
    /// <param name="clock">Clock of all times.</param>
    public MatchFeed(IMatchSink sink, MatchRecordings? recordings, TimeProvider clock) =>
        (_sink, _recordings, _clock, _start) = (sink, recordings, clock, FrameStamp.Now(clock));

    /// <summary>What can be done with the match; null: what can be done with the source.</summary>
    public MatchAbilities? Abilities { get; init; }

    /// <summary>Called when the match is over and its recording, if it has one, is complete.</summary>
    public Action<SubscriptionEnd?, MatchRecorder?>? Ended { get; init; }

    /// <summary>Called when the newest observation is recorded, and is offered to readers.</summary>
    public System.Action? Offered { get; init; }

    /// <summary>Whether <see cref="PublishAsync"/> waits for nothing but readers.</summary>
    public bool IsOffered => _isOffered;

    /// <summary>Whether publishing waits for a disk that is too slow instead of dropping frames from the recording, and for the history
    /// instead of beginning it again. Default: no.</summary>
    public bool WaitsForRecorder { get; init; }

    /// <summary>Whether the match has begun.</summary>
    public bool HasBegun => _run is not null;

    /// <summary>Its subscribers and what is kept of it. It must have begun.</summary>
    public MatchRun Run => _run ?? throw new InvalidOperationException("the match has not begun");

    /// <summary>Game loop of the newest observation.</summary>
    public uint GameLoop { get; private set; }

    /// <summary>When the newest observation was published, on the monotonic clock.</summary>
    public long PublishedTimestamp { get; private set; }

    /// <summary>The result of each player, as soon as an observation has it.</summary>
    public IReadOnlyList<PlayerResult> Results { get; private set; } = [];

    /// <summary>The results as one line, for people.</summary>
    public string Outcome => "match over: " + string.Join(", ", Results.Select(each => $"player {each.PlayerId} {each.Result}"));

    /// <summary>Sets the match. Called once, before the first observation.</summary>
    /// <param name="match">
    /// The match for agents. match_id, run_id and tick_hz are filled in if they are not set, map and game info if they are known.
    /// </param>
    /// <param name="gameInfo"><c>ResponseGameInfo</c> as the game wrote it; empty if unknown.</param>
    /// <param name="gameData"><c>ResponseData</c> as the game wrote it; empty if unknown.</param>
    /// <exception cref="Google.Protobuf.InvalidProtocolBufferException">The game info or the game data is invalid.</exception>
    public void Begin(Match match, ReadOnlyMemory<byte> gameInfo, ReadOnlyMemory<byte> gameData)
    {
        if (match.MatchId.Length == 0) match.MatchId = Guid.NewGuid().ToString("N");
        match.RunId = Guid.NewGuid().ToString("N");
        if (match.TickHz == 0) match.TickHz = GameTime.LoopsPerSecond;
        if (!gameInfo.IsEmpty) match.GameInfo ??= LenientParser.Parse<ResponseGameInfo>(gameInfo.Span);
        if (!gameData.IsEmpty) match.GameData ??= LenientParser.Parse<ResponseData>(gameData.Span);
        if (match.MapName.Length == 0) match.MapName = match.GameInfo?.MapName ?? "";
        RecordingStatus? failure = null;
        if (BeginRecording(match, out failure) is { } recorder)
        {
            var now = LogTime(FrameStamp.Now(_clock));
            if (!gameInfo.IsEmpty) recorder.AddGameInfo(now, gameInfo.ToArray());
            if (!gameData.IsEmpty) recorder.AddGameData(now, gameData.ToArray());
            recorder.AddEvent(now, new Event { MatchStarted = new() });
        }
        _run = _sink.Begin(match, Abilities, _recordings is null ? null : () => _recorder?.Status ?? failure);
        _run.Plots.TakeForRecording();
    }

    private MatchRecorder? BeginRecording(Match match, out RecordingStatus? failure)
    {
        failure = null;
        if (_recordings is null) return null;
        var recorded = new RecordingMatch
        {
            MatchId = match.MatchId,
            PlayerId = match.PlayerId,
            MapName = match.MapName,
            GameVersion = match.GameVersion,
            TickHz = match.TickHz,
            Source = match.Source.ToString().ToLowerInvariant(),
            Simulated = match.Simulated,
            GroupId = match.GroupId,
        };
        return _recorder = _recordings.Begin(recorded, match.GameInfo, out failure);
    }

    /// <summary>Publishes and records an observation, whose reference it takes over.</summary>
    /// <exception cref="InvalidDataException">It is not a serialized <c>ResponseObservation</c>; the reference is released.</exception>
    public async ValueTask PublishAsync(SharedBuffer observation, FrameStamp captured)
    {
        uint gameLoop;
        var ends = false;
        try
        {
            (gameLoop, var hasResults) = ObservationWire.ReadGameLoopAndEnd(observation.Span);
            ends = hasResults && Results.Count == 0;
            // A full parse is affordable once per match.
            if (ends) Results = [.. LenientParser.Parse<ResponseObservation>(observation.Span).PlayerResult];
        }
        catch (Exception e) when (e is InvalidDataException or InvalidProtocolBufferException)
        {
            observation.Release();
            throw e as InvalidDataException ?? new InvalidDataException(e.Message, e);
        }
        GameLoop = gameLoop;
        _isOffered = false;
        if (WaitsForRecorder && _recorder is not null) await _recorder.WaitForRoomAsync();
        var run = Run;
        if (WaitsForRecorder) await run.WaitForHistoryAsync();
        run.Drawings.Advance(gameLoop);
        RecordAgents(LogTime(captured));
        _recorder?.AddObservation(gameLoop, LogTime(captured), observation);
        if (ends) RecordEnd(captured);
        PublishedTimestamp = _clock.GetTimestamp();
        _isOffered = true;
        Offered?.Invoke();
        await run.PublishAsync(SharedFrame.Rent(gameLoop, captured, observation));
    }

    /// <summary>
    /// Ends the match: records what agents have drawn and plotted since the last observation, completes the recording, and ends it for all
    /// who see it. Later actions and steps belong to another match and are not recorded.
    /// </summary>
    /// <param name="end">Why it ended; null: it failed.</param>
    /// <param name="isLast">Whether the source ends with it, and the daemon ends it for those who see it.</param>
    /// <param name="publishing">Completes when the newest observation, which is offered, is published; null: it is.</param>
    public void End(SubscriptionEnd? end, bool isLast, Task? publishing = null)
    {
        if (_isOver) return;
        _isOver = true;
        RecordAgents(LogTime(FrameStamp.Now(_clock)));
        if (_recorder is not null) _recordings!.End(_recorder, recorder => Ended?.Invoke(end, recorder));
        else if (HasBegun) Ended?.Invoke(end, null);
        if (_run is not null && end is not null && !isLast) _sink.End(_run, end, publishing);
    }

    /// <summary>Records actions of the bot or of an agent. The bytes, a <c>RequestAction</c>, are copied.</summary>
    public void RecordActions(ReadOnlySpan<byte> requestAction)
    {
        if (!_isOver) _recorder?.AddActions(GameLoop, LogTime(FrameStamp.Now(_clock)), requestAction.ToArray());
    }

    /// <summary>Records a request for more game loops.</summary>
    public void RecordStep(uint count)
    {
        if (!_isOver)
            _recorder?.AddEvent(LogTime(FrameStamp.Now(_clock)), new Event { GameLoop = GameLoop, Stepped = new() { Count = count } });
    }

    /// <summary>Log time of a moment: UTC at the start plus the monotonic clock since then, so that a change of the system time does not
    /// reorder the file.</summary>
    private long LogTime(FrameStamp stamp) => _start.UnixNs + (stamp.MonotonicNs - _start.MonotonicNs);

    /// <summary>Records what agents have drawn and plotted. At most once per observation, however often they do.</summary>
    private void RecordAgents(long capturedUnixNs)
    {
        if (_recorder is null || _run is not { } run) return;
        if (run.Drawings.Version != _drawingsRecorded)
            _recorder.AddDrawings(GameLoop, capturedUnixNs, run.Drawings.Read(out _drawingsRecorded).ToByteArray());
        if (run.Plots.TakeForRecording() is { IsEmpty: false } plots) _recorder.AddPlots(GameLoop, capturedUnixNs, plots);
    }

    private void RecordEnd(FrameStamp captured)
    {
        var ended = new Event.Types.MatchEnded();
        ended.PlayerResult.AddRange(Results);
        _recorder?.AddEvent(LogTime(captured), new Event { GameLoop = GameLoop, MatchEnded = ended });
    }
}
