using Abathur.Emulator.MatchData;
using Abathur.Emulator.Queries;
using Abathur.Mcap;
using Abathur.Protobuf;
using Abathur.Protobuf.Wire;
using Abathur.Recordings;
using Abathur.Sc2;
using Google.Protobuf;
using SC2APIProtocol;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Abathur.Emulator;

/// <summary>A game that is played from a recording: its status, its game loop, and its answers. One request at a time.</summary>
/// <remarks>
/// Like the real game it outlives its clients: the next client finds the match in the same state. A client that has not
/// set up a match itself may set up a new one in any status, so that one emulator serves many runs.
/// </remarks>
public sealed class GameEmulator
{
    private static readonly ByteString NoReplay = ByteString.CopyFromUtf8("played from a recording: there is no replay");

    private readonly EmulatedMatch _match;
    private readonly ObservationTimeline _timeline;
    private readonly EmulatorOptions _options;
    private readonly TimeProvider _clock;
    private readonly IActionLog? _actions;
    private readonly Action<string> _warn;
    private readonly GameQueries _queries;
    private readonly byte[] _results;
    private readonly WireWriter _answer = new();
    private readonly Dictionary<int, byte[]> _data = [];
    private bool _lastHasResults;
    private uint _lastLoop;
    private uint _loop;
    private long _startedAt;
    private uint? _savedLoop;
    private bool _realtime;
    private bool _isSetUpByThisClient;
    private bool _hasWarnedOfLayers;

    /// <param name="match">The constant data of the match.</param>
    /// <param name="timeline">The observations.</param>
    /// <param name="options">How they are played. Result, start and stop are those with which the match was loaded.</param>
    /// <param name="clock">Clock of matches in real time.</param>
    /// <param name="actions">Receives the actions of clients; null: they are accepted and discarded.</param>
    /// <param name="warn">Receives a message of one line for each feature that a client requests and does not get; null: none.</param>
    public GameEmulator(
        EmulatedMatch match, ObservationTimeline timeline, EmulatorOptions options, TimeProvider clock, IActionLog? actions = null,
        Action<string>? warn = null)
    {
        _match = match;
        _timeline = timeline;
        _options = options;
        _clock = clock;
        _actions = actions;
        _warn = warn ?? (static _ => { });
        _queries = new GameQueries(match.Info, LenientParser.Parse<ResponseData>(match.Data.Span));
        (_lastLoop, _lastHasResults) = (match.LastGameLoop, match.LastHasResults);
        var results = new ResponseObservation();
        results.PlayerResult.AddRange(match.Results);
        _results = results.ToByteArray();
    }

    /// <summary>Plays a recording that has game info and game data.</summary>
    /// <param name="recording">The recording, which stays open and is read only by this game.</param>
    /// <param name="options">How it is played; null: the defaults.</param>
    /// <exception cref="RecordingException">It has no observation from the start to the stop, no game info or no game data, or they cannot
    /// be read.</exception>
    public static GameEmulator Of(RecordingReader recording, EmulatorOptions? options = null)
    {
        options ??= new EmulatorOptions();
        var match = EmulatedMatch.Load(
            recording, recording.Mcap.Name, null, null, options.Result, options.StartGameLoop, options.StopGameLoop);
        return new GameEmulator(match, new ObservationTimeline(recording), options, TimeProvider.System);
    }

    /// <summary>The game's status, which is in every response.</summary>
    public Status Status { get; private set; } = Status.Launched;

    /// <summary>Matches that have been joined or watched.</summary>
    public int MatchCount { get; private set; }

    /// <summary>Observations that have been answered.</summary>
    public long ObservationCount { get; private set; }

    /// <summary>The damage that has ended the recording early; null if it is complete.</summary>
    public string? Damage { get; private set; }

    /// <summary>A client has connected. After the end of a match, the game is back in its initial status.</summary>
    public void Connect()
    {
        _isSetUpByThisClient = false;
        if (Status == Status.Ended) Status = Status.Launched;
    }

    /// <summary>How long to wait before answering a request: in real time, requests for an observation of a later loop wait for
    /// it.</summary>
    public TimeSpan WaitBefore(Request request)
    {
        Advance();
        if (request.RequestCase != Kind.Observation || !_realtime || Status is not (Status.InGame or Status.InReplay)) return TimeSpan.Zero;
        // The match is over at the loop after the last one.
        var loop = Math.Min(request.Observation.GameLoop, (ulong)_lastLoop + 1);
        if (loop <= _loop) return TimeSpan.Zero;
        var due = TimeSpan.FromSeconds((loop - _match.FirstGameLoop) / _options.TickHz) - _clock.GetElapsedTime(_startedAt);
        return due > TimeSpan.Zero ? TimeSpan.FromMilliseconds(Math.Ceiling(due.TotalMilliseconds)) : TimeSpan.Zero;
    }

    /// <summary>Answers a request. No request makes it throw.</summary>
    public GameAnswer Answer(Request request)
    {
        Advance();
        var kind = request.RequestCase;
        if (kind == Kind.None) return GameAnswer.Refused("The request is empty, or of a kind that is not known here");
        var setsUp = kind is Kind.CreateGame or Kind.JoinGame or Kind.StartReplay;
        var mayStartOver = setsUp && !_isSetUpByThisClient;
        if (!mayStartOver && GameRules.Refusal(kind, Status, _realtime) is { } refusal) return GameAnswer.Refused(refusal);
        try
        {
            return Answer(kind, request);
        }
        catch (Exception e) when (e is McapException
            or RecordingException
            or InvalidDataException
            or InvalidProtocolBufferException
            or IOException)
        {
            // The complete part was played: the match ends there.
            Damage ??= e.Message;
            _lastLoop = _loop = Math.Min(_timeline.GameLoop, _lastLoop);
            _lastHasResults = false;
            if (Status is Status.InGame or Status.InReplay) Status = Status.Ended;
            return GameAnswer.Refused($"The recording cannot be read further: {e.Message}");
        }
    }

    private GameAnswer Answer(Kind kind, Request request) => kind switch
    {
        Kind.Ping => GameAnswer.Of(Response.PingFieldNumber, _match.Ping),
        Kind.AvailableMaps => GameAnswer.Of(Response.AvailableMapsFieldNumber, new ResponseAvailableMaps
        {
            LocalMapPaths = { _match.Info.LocalMapPath },
            BattlenetMapNames = { _match.Info.MapName },
        }),
        Kind.CreateGame => Create(request.CreateGame),
        Kind.JoinGame => Join(request.JoinGame),
        Kind.StartReplay => StartReplay(request.StartReplay),
        Kind.RestartGame => Restart(),
        Kind.LeaveGame => Leave(),
        Kind.Quit => Quit(),
        Kind.GameInfo => new GameAnswer(Response.GameInfoFieldNumber, _match.InfoBytes),
        Kind.Data => new GameAnswer(Response.DataFieldNumber, DataFor(request.Data)),
        Kind.Observation => Observe(),
        Kind.Step => Step(request.Step),
        Kind.Action => Act(request.Action),
        Kind.Debug => Debug(request.Debug),
        Kind.Query => Query(request.Query),
        Kind.ObsAction => GameAnswer.Of(Response.ObsActionFieldNumber, new ResponseObserverAction()),
        Kind.MapCommand => GameAnswer.Of(Response.MapCommandFieldNumber, new ResponseMapCommand()),
        Kind.QuickSave => QuickSave(),
        Kind.QuickLoad => QuickLoad(),
        Kind.SaveMap => GameAnswer.Of(Response.SaveMapFieldNumber, new ResponseSaveMap()),
        Kind.SaveReplay => GameAnswer.Of(Response.SaveReplayFieldNumber, new ResponseSaveReplay { Data = NoReplay }),
        Kind.ReplayInfo => GameAnswer.Of(Response.ReplayInfoFieldNumber, ReplayInfo(request.ReplayInfo)),
        _ => GameAnswer.Refused($"{kind} is not known here"),
    };

    /// <summary>In real time, sets the loop from the clock. Ends the match after its last loop.</summary>
    private void Advance()
    {
        if (Status is not (Status.InGame or Status.InReplay)) return;
        if (_realtime)
        {
            var passed = (ulong)Math.Max(0, _clock.GetElapsedTime(_startedAt).TotalSeconds * _options.TickHz);
            _loop = (uint)Math.Min((ulong)_lastLoop + 1, _match.FirstGameLoop + passed);
        }
        if (_loop <= _lastLoop && !(_lastHasResults && _loop == _lastLoop)) return;
        _loop = _lastLoop;
        Status = Status.Ended;
    }

    private void Start(Status status)
    {
        _timeline.Rewind(_match.FirstGameLoop);
        _loop = _match.FirstGameLoop;
        _savedLoop = null;
        _startedAt = _clock.GetTimestamp();
        _isSetUpByThisClient = true;
        Status = status;
        MatchCount++;
    }

    private GameAnswer Create(RequestCreateGame request)
    {
        ResponseCreateGame.Types.Error? error = null;
        if (request.MapCase == RequestCreateGame.MapOneofCase.None) error = ResponseCreateGame.Types.Error.MissingMap;
        else if (request.PlayerSetup.Count == 0) error = ResponseCreateGame.Types.Error.MissingPlayerSetup;
        else if (request.PlayerSetup.All(each => each.Type == PlayerType.Computer))
            error = ResponseCreateGame.Types.Error.InvalidPlayerSetup;
        var answer = new ResponseCreateGame();
        if (error is { } reason)
        {
            answer.Error = reason;
        }
        else
        {
            _realtime = _options.Realtime || request.Realtime;
            _isSetUpByThisClient = true;
            Status = Status.InitGame;
        }
        return GameAnswer.Of(Response.CreateGameFieldNumber, answer);
    }

    private GameAnswer Join(RequestJoinGame request)
    {
        ResponseJoinGame.Types.Error? error = null;
        if (request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.None)
            error = ResponseJoinGame.Types.Error.MissingParticipation;
        else if (request.HasObservedPlayerId && !IsPlayer(request.ObservedPlayerId))
            error = ResponseJoinGame.Types.Error.InvalidObservedPlayerId;
        else if (request.Options is null) error = ResponseJoinGame.Types.Error.MissingOptions;
        if (error is { } reason) return GameAnswer.Of(Response.JoinGameFieldNumber, new ResponseJoinGame { Error = reason });
        // Joined without creating a game, as on a ladder.
        if (Status != Status.InitGame) _realtime = _options.Realtime;
        WarnOfLayers(request.Options);
        Start(Status.InGame);
        return GameAnswer.Of(Response.JoinGameFieldNumber, new ResponseJoinGame { PlayerId = _match.PlayerId });
    }

    private GameAnswer StartReplay(RequestStartReplay request)
    {
        ResponseStartReplay.Types.Error? error = null;
        if (request.ReplayCase == RequestStartReplay.ReplayOneofCase.None) error = ResponseStartReplay.Types.Error.MissingReplay;
        else if (request.Options is null) error = ResponseStartReplay.Types.Error.MissingOptions;
        else if (request.ObservedPlayerId != 0 && !IsPlayer((uint)request.ObservedPlayerId))
            error = ResponseStartReplay.Types.Error.InvalidObservedPlayerId;
        if (error is { } reason) return GameAnswer.Of(Response.StartReplayFieldNumber, new ResponseStartReplay { Error = reason });
        _realtime = _options.Realtime || request.Realtime;
        WarnOfLayers(request.Options);
        Start(Status.InReplay);
        return GameAnswer.Of(Response.StartReplayFieldNumber, new ResponseStartReplay());
    }

    /// <summary>Warns once about images that the client requests and the recording does not have.</summary>
    private void WarnOfLayers(InterfaceOptions? wanted)
    {
        var layers = wanted?.FeatureLayer is not null && !_match.HasFeatureLayers;
        var images = wanted?.Render is not null && !_match.HasRenderedImages;
        if (_hasWarnedOfLayers || !(layers || images)) return;
        _hasWarnedOfLayers = true;
        var what = layers && images ? "feature layers and rendered images" : layers ? "feature layers" : "rendered images";
        _warn($"the client asked for {what} when it joined, but the recording has none: its observations come without them. Play a "
            + $"recording of a match that was joined with {what}.");
    }

    private GameAnswer Restart()
    {
        Start(Status.InGame);
        return GameAnswer.Of(Response.RestartGameFieldNumber, new ResponseRestartGame { NeedHardReset = false });
    }

    private GameAnswer QuickSave()
    {
        _savedLoop = _loop;
        return GameAnswer.Of(Response.QuickSaveFieldNumber, new ResponseQuickSave());
    }

    private GameAnswer QuickLoad()
    {
        if (_savedLoop is not { } loop) return GameAnswer.Refused("There is no saved game: quick_save comes first");
        _timeline.Seek(loop);
        _loop = loop;
        // In real time the clock continues from the saved loop.
        _startedAt = _clock.GetTimestamp() - (long)((loop - _match.FirstGameLoop) / _options.TickHz * _clock.TimestampFrequency);
        return GameAnswer.Of(Response.QuickLoadFieldNumber, new ResponseQuickLoad());
    }

    private GameAnswer Leave()
    {
        Status = Status.Launched;
        return GameAnswer.Of(Response.LeaveGameFieldNumber, new ResponseLeaveGame());
    }

    private GameAnswer Quit()
    {
        Status = Status.Quit;
        return GameAnswer.Of(Response.QuitFieldNumber, new ResponseQuit());
    }

    private GameAnswer Observe()
    {
        var observation = _timeline.Observe(_loop, out var skipped);
        ObservationCount++;
        // If the recording has results, they are in its last observation.
        ReadOnlyMemory<byte> results = Status == Status.Ended && !_lastHasResults ? _results : default;
        if (skipped.IsEmpty && results.IsEmpty) return new GameAnswer(Response.ObservationFieldNumber, observation);
        // Some clients read only the last part of a message that is written in parts.
        _answer.Clear();
        SkippedEvents.Merge([.. skipped.Span, .. observation.Span, .. results.Span], _answer);
        return new GameAnswer(Response.ObservationFieldNumber, _answer.WrittenMemory);
    }

    private GameAnswer Step(RequestStep request)
    {
        var count = Math.Max(1, request.HasCount ? request.Count : 1);
        _loop = (uint)Math.Min((ulong)_lastLoop + 1, (ulong)_loop + count);
        var loop = Math.Min(_loop, _lastLoop);
        Advance();
        return GameAnswer.Of(Response.StepFieldNumber, new ResponseStep { SimulationLoop = loop });
    }

    private GameAnswer Act(RequestAction request)
    {
        _actions?.Add(_loop, request, CommandedUnits.TypesOf(request, _timeline.At(_loop).Span));
        var answer = new ResponseAction();
        answer.Result.AddRange(Enumerable.Repeat(ActionResult.Success, request.Actions.Count));
        return GameAnswer.Of(Response.ActionFieldNumber, answer);
    }

    private GameAnswer Debug(RequestDebug request)
    {
        _actions?.Add(_loop, request);
        return GameAnswer.Of(Response.DebugFieldNumber, new ResponseDebug());
    }

    private GameAnswer Query(RequestQuery request)
    {
        var observation = _timeline.At(_loop);
        return _queries.TryAnswer(request, _timeline.GameLoop, observation, out var answer, out var refusal)
            ? GameAnswer.Of(Response.QueryFieldNumber, answer)
            : GameAnswer.Refused(refusal);
    }

    private bool IsPlayer(uint id) => id == _match.PlayerId || _match.Info.PlayerInfo.Any(each => each.PlayerId == id);

    /// <summary>The requested kinds of data, without parsing them.</summary>
    private ReadOnlyMemory<byte> DataFor(RequestData request)
    {
        var wanted = (request.AbilityId ? 1 : 0) | (
            request.UnitTypeId ? 2 : 0) | (request.UpgradeId ? 4 : 0) | (request.BuffId ? 8 : 0) | (request.EffectId ? 16 : 0);
        if (_data.TryGetValue(wanted, out var known)) return known;
        var bytes = new MemoryStream(_match.Data.Length);
        var data = _match.Data.Span;
        var reader = new WireReader(data);
        while (reader.ReadTag())
        {
            reader.SkipValue();
            var isWanted = reader.FieldNumber > ResponseData.EffectsFieldNumber || (wanted & (1 << (reader.FieldNumber - 1))) != 0;
            if (isWanted) bytes.Write(data[reader.FieldStart..reader.Position]);
        }
        return _data[wanted] = bytes.ToArray();
    }

    private ResponseReplayInfo ReplayInfo(RequestReplayInfo request)
    {
        if (request.ReplayCase == RequestReplayInfo.ReplayOneofCase.None)
            return new ResponseReplayInfo { Error = ResponseReplayInfo.Types.Error.MissingReplay };
        var info = new ResponseReplayInfo
        {
            MapName = _match.Info.MapName,
            LocalMapPath = _match.Info.LocalMapPath,
            GameDurationLoops = _match.LastGameLoop,
            GameDurationSeconds = (float)(_match.LastGameLoop / GameTime.LoopsPerSecond),
            GameVersion = _match.Ping.GameVersion,
            DataVersion = _match.Ping.DataVersion,
            DataBuild = _match.Ping.DataBuild,
            BaseBuild = _match.Ping.BaseBuild,
        };
        foreach (var player in _match.Info.PlayerInfo)
        {
            var extra = new PlayerInfoExtra
            {
                PlayerInfo = player,
                PlayerApm = _match.PlayerFigures.Apm,
                PlayerMmr = _match.PlayerFigures.Mmr,
            };
            if (_match.Results.FirstOrDefault(each => each.PlayerId == player.PlayerId) is { } result) extra.PlayerResult = result;
            info.PlayerInfo.Add(extra);
        }
        return info;
    }
}
