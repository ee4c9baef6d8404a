using Abathur.Emulator.MatchData;
using Abathur.Recordings;
using Abathur.Recordings.Conversion;
using Abathur.Recordings.Tests;
using Abathur.Sc2.Api;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;
using Result = SC2APIProtocol.Result;

namespace Abathur.Emulator.Tests;

public class GameEmulatorTests
{
    private const uint First = 1000;
    private const uint Last = 1099;
    private static readonly RequestJoinGame Join = new() { Race = Race.Zerg, Options = new InterfaceOptions { Raw = true } };

    [Fact]
    public void Answer_InRealTime_GoesByTheClockAndEndsWithIt()
    {
        using var stage = new Stage(new EmulatorOptions { Realtime = true, TickHz = 16, Result = Result.Victory });
        stage.Ask(new Request { JoinGame = Join });
        Assert.Equal(First, stage.Observe().Observation.GameLoop);
        stage.Clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(First + 16, stage.Observe().Observation.GameLoop);
        stage.Clock.Advance(TimeSpan.FromSeconds(83.4 / 16));
        Assert.Equal(Last, stage.Observe().Observation.GameLoop);
        Assert.Equal(Status.InGame, stage.Game.Status);
        stage.Clock.Advance(TimeSpan.FromSeconds(1 / 16d));
        var over = stage.Observe();
        Assert.Equal(Status.Ended, stage.Game.Status);
        Assert.Equal(Last, over.Observation.GameLoop);
        Assert.Equal([Result.Defeat, Result.Victory], over.PlayerResult.OrderBy(each => each.PlayerId).Select(each => each.Result));
    }

    [Fact]
    public void WaitBefore_AnObservationOfALaterLoop_IsTheTimeToItAndNoLongerThanTheMatch()
    {
        using var stage = new Stage(new EmulatorOptions { Realtime = true, TickHz = 16 });
        var later = new Request { Observation = new RequestObservation { GameLoop = First + 8 } };
        Assert.Equal(TimeSpan.Zero, stage.Game.WaitBefore(later));
        stage.Ask(new Request { JoinGame = Join });
        Assert.Equal(TimeSpan.FromSeconds(0.5), stage.Game.WaitBefore(later));
        stage.Clock.Advance(TimeSpan.FromSeconds(0.4));
        Assert.InRange(stage.Game.WaitBefore(later).TotalMilliseconds, 99, 101);
        stage.Clock.Advance(TimeSpan.FromSeconds(0.1));
        Assert.Equal(TimeSpan.Zero, stage.Game.WaitBefore(later));
        var never = new Request { Observation = new RequestObservation { GameLoop = uint.MaxValue } };
        Assert.InRange(stage.Game.WaitBefore(never).TotalSeconds, 92 / 16d - 0.01, 92 / 16d + 0.01);
        Assert.Equal(TimeSpan.Zero, stage.Game.WaitBefore(new Request { Ping = new RequestPing() }));
    }

    [Fact]
    public void WaitBefore_InSteps_IsNothing()
    {
        using var stage = new Stage(new EmulatorOptions());
        stage.Ask(new Request { JoinGame = Join });
        Assert.Equal(TimeSpan.Zero, stage.Game.WaitBefore(new Request { Observation = new RequestObservation { GameLoop = Last } }));
    }

    [Theory]
    [InlineData(First, Last)]
    [InlineData(1020u, 1060u)]
    public void Answer_AnySequenceOfRequests_KeepsToTheStatusesAndLoops(uint start, uint stop)
    {
        var kinds = Request.Descriptor.Oneofs[0].Fields;
        Prop.ForAll<byte[]>(choices =>
        {
            using var stage = new Stage(new EmulatorOptions { StartGameLoop = start, StopGameLoop = stop });
            uint loop = 0;
            foreach (var choice in choices)
            {
                var request = new Request();
                var field = kinds[choice % kinds.Count];
                field.Accessor.SetValue(request, field.MessageType.Parser.ParseFrom(ByteString.Empty));
                if (request.JoinGame is not null) request.JoinGame = Join;
                if (request.Step is not null) request.Step.Count = choice;
                var before = stage.Game.Status;
                var answer = stage.Game.Answer(request);
                var response = answer.Error is null ? stage.Read(answer) : null;
                if (answer.Error is not null && (answer.Error.Length == 0 || stage.Game.Status != before)) return false;
                if (response is not null && (int)response.ResponseCase != (int)request.RequestCase) return false;
                if (stage.Game.Status == Status.Quit) return true;
                if (response?.JoinGame is not null || response?.RestartGame is not null || response?.QuickLoad is not null) loop = start;
                if (response?.Observation is not { } observed) continue;
                if (observed.Observation.GameLoop < loop || observed.Observation.GameLoop > stop) return false;
                if ((observed.PlayerResult.Count > 0) != (stage.Game.Status == Status.Ended)) return false;
                loop = observed.Observation.GameLoop;
            }
            return true;
        }).QuickCheckThrowOnFailure();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Answer_CreateGameInAMatch_LeavesItAndTheNextBeginsAtTheStart(bool inReplay)
    {
        using var stage = new Stage(new EmulatorOptions());
        var replay = new Request
        {
            StartReplay = new RequestStartReplay { ReplayPath = "x", Options = new InterfaceOptions { Raw = true } },
        };
        var create = new Request
        {
            CreateGame = new RequestCreateGame
            {
                BattlenetMapName = "x",
                PlayerSetup = { new PlayerSetup { Type = PlayerType.Participant } },
            },
        };
        for (var round = 0; round < 3; round++)
        {
            stage.Ask(inReplay ? replay : create);
            if (!inReplay) stage.Ask(new Request { JoinGame = Join });
            Assert.Equal(First, stage.Observe().Observation.GameLoop);
            stage.Ask(new Request { Step = new RequestStep { Count = 50 } });
            Assert.Equal(First + 50, stage.Observe().Observation.GameLoop);
        }
        // From a match to a replay, and back.
        stage.Ask(inReplay ? create : replay);
        Assert.Equal(inReplay ? Status.InitGame : Status.InReplay, stage.Game.Status);
        if (inReplay) stage.Ask(new Request { JoinGame = Join });
        Assert.Equal(First, stage.Observe().Observation.GameLoop);
    }

    [Fact]
    public void Answer_WithStartAndStop_PlaysThatPartInEachMatchAndEndsWithTheResult()
    {
        using var stage = new Stage(new EmulatorOptions { StartGameLoop = 1010, StopGameLoop = 1050, Result = Result.Defeat });
        var options = new InterfaceOptions { Raw = true };
        Request[] beginnings =
        [
            new() { JoinGame = Join }, new() { RestartGame = new RequestRestartGame() },
            new() { StartReplay = new RequestStartReplay { ReplayPath = "x", Options = options } },
        ];
        foreach (var beginning in beginnings)
        {
            stage.Ask(beginning);
            Assert.Equal(1010u, stage.Observe().Observation.GameLoop);
            Assert.Equal(1050u, stage.Ask(new Request { Step = new RequestStep { Count = 40 } }).Step.SimulationLoop);
            Assert.Equal(1050u, stage.Observe().Observation.GameLoop);
            Assert.NotEqual(Status.Ended, stage.Game.Status);
            Assert.Equal(1050u, stage.Ask(new Request { Step = new RequestStep { Count = 40 } }).Step.SimulationLoop);
            Assert.Equal(Status.Ended, stage.Game.Status);
            var over = stage.Observe();
            Assert.Equal(1050u, over.Observation.GameLoop);
            Assert.Equal(Result.Defeat, over.PlayerResult.Single(each => each.PlayerId == RecordingSample.Match.PlayerId).Result);
        }
    }

    [Fact]
    public void Answer_WithStartAndStopInRealTime_GoesByTheClockFromTheStart()
    {
        using var stage = new Stage(
            new EmulatorOptions { StartGameLoop = 1010, StopGameLoop = 1050, Realtime = true, TickHz = 16 });
        stage.Ask(new Request { JoinGame = Join });
        Assert.Equal(1010u, stage.Observe().Observation.GameLoop);
        Assert.Equal(
            TimeSpan.FromSeconds(0.5),
            stage.Game.WaitBefore(new Request { Observation = new RequestObservation { GameLoop = 1018 } }));
        stage.Clock.Advance(TimeSpan.FromSeconds(40.4 / 16));
        Assert.Equal(1050u, stage.Observe().Observation.GameLoop);
        Assert.Equal(Status.InGame, stage.Game.Status);
        stage.Clock.Advance(TimeSpan.FromSeconds(1 / 16d));
        Assert.Equal(1050u, stage.Observe().Observation.GameLoop);
        Assert.Equal(Status.Ended, stage.Game.Status);
    }

    [Theory]
    [InlineData(1009u, 1063u, 1016u, 1056u)]
    [InlineData(1016u, 1056u, 1016u, 1056u)]
    [InlineData(1009u, 1199u, 1016u, 1096u)]
    [InlineData(1100u, 2000u, 1200u, 2000u)]
    [InlineData(0u, uint.MaxValue, 1000u, 2000u)]
    public void Load_StartAndStopBetweenObservations_TakesTheNextAndTheOneBefore(uint start, uint stop, uint first, uint last)
    {
        // Every eighth game loop, with long gaps behind.
        var loops = Enumerable.Range(0, 13).Select(i => First + 8 * (uint)i).Append(1200u).Append(2000u);
        using var recording = RecordingSample.Open(RecordingSample.Write(loops));
        var match = EmulatedMatch.Load(
            recording, "x", new ResponseGameInfo().ToByteArray(), new ResponseData().ToByteArray(),
            Result.Tie, start, stop);
        Assert.Equal((first, last), (match.FirstGameLoop, match.LastGameLoop));
    }

    [Theory]
    [InlineData(1010u, 1009u, "the stop at game loop 1009 is before the start at 1010")]
    [InlineData(1100u, 1200u, "m.mcap ends at game loop 1099, before the start at 1100")]
    [InlineData(0u, 999u, "m.mcap begins at game loop 1000, after the stop at 999")]
    [InlineData(1001u, 1007u, "m.mcap has no observation from game loop 1001 to 1007; the next one is at 1008")]
    public void Load_NoObservationBetweenStartAndStop_IsRefused(uint start, uint stop, string message)
    {
        using var recording = RecordingSample.Open(RecordingSample.Write([First, 1008, Last]));
        var info = new ResponseGameInfo().ToByteArray();
        var error = Assert.Throws<RecordingException>(
            () => EmulatedMatch.Load(recording, "m.mcap", info, Array.Empty<byte>(), Result.Tie, start, stop));
        Assert.Equal(message, error.Message);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Answer_WithStart_TellsNothingOfWhatWasBefore(bool isCompact)
    {
        using var folder = new TemporaryFolder();
        var path = CommittedRecording.Path;
        if (isCompact)
        {
            path = Path.Combine(folder.Path, "compact.mcap");
            using var full = RecordingReader.Open(CommittedRecording.Path);
            using var output = File.Create(path);
            RecordingRewriter.Rewrite(full, output, new RecordingOptions { Compact = true });
        }
        var expected = CommittedRecording.Observations()
            .Select(ResponseObservation.Parser.ParseFrom)
            .ToDictionary(each => each.Observation.GameLoop);
        using var recording = RecordingReader.Open(path);
        var game = GameEmulator.Of(recording, new EmulatorOptions { StartGameLoop = 9400, StopGameLoop = 9800 });
        Assert.Null(game.Answer(new Request { JoinGame = Join }).Error);
        for (var loop = 9400u; loop <= 9800; loop++)
        {
            var answer = game.Answer(new Request { Observation = new RequestObservation() });
            var observed = ResponseObservation.Parser.ParseFrom(answer.Payload.Span);
            Assert.Equal(loop, observed.Observation.GameLoop);
            Assert.Equal(expected[loop].Observation.RawData.Event, observed.Observation.RawData.Event);
            Assert.Equal(expected[loop].Observation.PlayerCommon, observed.Observation.PlayerCommon);
            Assert.Equal(expected[loop].Actions, observed.Actions);
            Assert.Equal(Status.InGame, game.Status);
            game.Answer(new Request { Step = new RequestStep { Count = 1 } });
        }
        Assert.Equal(Status.Ended, game.Status);
    }

    [Theory]
    [InlineData(Last, Result.Tie)]
    [InlineData(Last + 1, Result.Tie)]
    [InlineData(Last - 1, Result.Victory)]
    public void Answer_StopBeforeTheEndOnly_ReplacesTheRecordedResult(uint stop, Result expected)
    {
        var last = new ResponseObservation
        {
            Observation = new Observation { GameLoop = Last },
            PlayerResult = { new PlayerResult { PlayerId = RecordingSample.Match.PlayerId, Result = Result.Tie } },
        }.ToByteArray();
        using var stage = new Stage(new EmulatorOptions { StopGameLoop = stop, Result = Result.Victory }, last);
        stage.Ask(new Request { JoinGame = Join });
        stage.Ask(new Request { Step = new RequestStep { Count = 200 } });
        Assert.Equal(Status.Ended, stage.Game.Status);
        Assert.Equal(expected, stage.Observe().PlayerResult.Single(each => each.PlayerId == RecordingSample.Match.PlayerId).Result);
    }

    [Fact]
    public void Answer_ActionsOfUnits_AreLoggedWithTheTypesThatTheObservationHas()
    {
        using var folder = new TemporaryFolder();
        var path = Path.Combine(folder.Path, "actions.ndjson");
        using var recording = RecordingReader.Open(CommittedRecording.Path);
        var match = EmulatedMatch.Load(recording, "x", null, null, Result.Tie);
        var units = ResponseObservation.Parser.ParseFrom(CommittedRecording.Observations().First()).Observation.RawData.Units;
        var (mine, target) = (units.First(each => each.Alliance == Alliance.Self), units.First(each => each.Alliance == Alliance.Enemy));
        var command = new ActionRawUnitCommand { AbilityId = 23, UnitTags = { mine.Tag, 5 }, TargetUnitTag = target.Tag };
        var order = new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = command } };
        var chat = new SC2APIProtocol.Action { ActionChat = new ActionChat { Message = "gl hf" } };
        using (var log = new ActionLog(path, overwrite: false))
        {
            var game = new GameEmulator(match, new ObservationTimeline(recording), new EmulatorOptions(), TimeProvider.System, log);
            game.Answer(new Request { JoinGame = Join });
            game.Answer(new Request { Action = new RequestAction { Actions = { order, chat } } });
        }
        var lines = File.ReadAllLines(path);
        Assert.EndsWith($",\"unit_types\":{{\"{mine.Tag}\":{mine.UnitType},\"{target.Tag}\":{target.UnitType}}}}}", lines[0]);
        Assert.DoesNotContain("unit_types", lines[1]);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Answer_QuickLoad_GoesBackToTheSavedLoop(bool realtime)
    {
        using var stage = new Stage(new EmulatorOptions { Realtime = realtime, TickHz = 16 });
        stage.Ask(new Request { JoinGame = Join });
        Assert.NotNull(stage.Game.Answer(new Request { QuickLoad = new RequestQuickLoad() }).Error);
        GoOn(20);
        stage.Ask(new Request { QuickSave = new RequestQuickSave() });
        for (var round = 0; round < 2; round++)
        {
            GoOn(30);
            Assert.Equal(First + 50, stage.Observe().Observation.GameLoop);
            stage.Ask(new Request { QuickLoad = new RequestQuickLoad() });
            Assert.Equal(First + 20, stage.Observe().Observation.GameLoop);
        }
        // A saved game is of its match.
        if (!realtime) stage.Ask(new Request { RestartGame = new RequestRestartGame() });
        if (!realtime) Assert.NotNull(stage.Game.Answer(new Request { QuickLoad = new RequestQuickLoad() }).Error);

        void GoOn(uint loops)
        {
            if (realtime) stage.Clock.Advance(TimeSpan.FromSeconds(loops / 16.0));
            else stage.Ask(new Request { Step = new RequestStep { Count = loops } });
        }
    }

    [Fact]
    public void Answer_CreateGameThatIsRefused_LeavesTheMatchAsItIs()
    {
        using var stage = new Stage(new EmulatorOptions());
        stage.Ask(new Request { JoinGame = Join });
        stage.Ask(new Request { Step = new RequestStep { Count = 50 } });
        Assert.True(stage.Ask(new Request { CreateGame = new RequestCreateGame() }).CreateGame.HasError);
        Assert.Equal(First + 50, stage.Observe().Observation.GameLoop);
    }

    [Fact]
    public void Answer_FeatureLayersThatAreNotRecorded_WarnsOnce()
    {
        using var stage = new Stage(new EmulatorOptions());
        stage.Ask(new Request { JoinGame = Join });
        Assert.Empty(stage.Warnings);
        var wants = new InterfaceOptions { Raw = true, FeatureLayer = new SpatialCameraSetup() };
        stage.Ask(new Request { StartReplay = new RequestStartReplay { ReplayPath = "x", Options = wants } });
        stage.Ask(new Request { LeaveGame = new RequestLeaveGame() });
        stage.Ask(new Request { JoinGame = new RequestJoinGame { Race = Race.Zerg, Options = wants } });
        Assert.Contains("asked for feature layers", Assert.Single(stage.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Answer_FeatureLayersThatAreRecorded_DoesNotWarn()
    {
        var observation = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = First,
                FeatureLayerData = new ObservationFeatureLayer { Renders = new FeatureLayers() },
            },
        };
        using var stage = new Stage(new EmulatorOptions(), observation.ToByteArray(), loopOfLast: First);
        var layers = new InterfaceOptions { FeatureLayer = new SpatialCameraSetup() };
        stage.Ask(new Request { JoinGame = new RequestJoinGame { Race = Race.Zerg, Options = layers } });
        Assert.Empty(stage.Warnings);
        stage.Ask(new Request { LeaveGame = new RequestLeaveGame() });
        layers.Render = new SpatialCameraSetup();
        stage.Ask(new Request { JoinGame = new RequestJoinGame { Race = Race.Zerg, Options = layers } });
        Assert.Contains("asked for rendered images", Assert.Single(stage.Warnings), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Race.Zerg, Race.Terran, Race.Random, true)]
    [InlineData(Race.Zerg, Race.Zerg, Race.Terran, false)]
    [InlineData(Race.Zerg, Race.NoRace, Race.Terran, true)]
    [InlineData(Race.Zerg, Race.NoRace, Race.Random, false)]
    [InlineData(Race.Zerg, Race.NoRace, Race.Zerg, false)]
    [InlineData(Race.NoRace, Race.Protoss, Race.Terran, false)]
    public void Load_GameInfoOfAnotherRace_IsNoted(Race units, Race actual, Race requested, bool isMismatch)
    {
        var player = new PlayerInfo { PlayerId = 2, RaceRequested = requested };
        if (actual != Race.NoRace) player.RaceActual = actual;
        var info = new ResponseGameInfo
        {
            PlayerInfo = { new PlayerInfo { PlayerId = 1, RaceRequested = Race.Protoss, RaceActual = Race.Protoss }, player },
        };
        var data = new ResponseData
        {
            Units =
            {
                new UnitTypeData { UnitId = 1, Race = units }, new UnitTypeData { UnitId = 2, Race = Race.Protoss },
                new UnitTypeData { UnitId = 3, Race = Race.NoRace },
            },
        };
        var raw = new ObservationRaw();
        // One that was taken over, and neutral ones.
        foreach (var type in new uint[] { 1, 1, 2, 3, 3, 3 }) raw.Units.Add(new Unit { UnitType = type, Alliance = Alliance.Self });
        for (var i = 0; i < 5; i++) raw.Units.Add(new Unit { UnitType = 2, Alliance = Alliance.Enemy });
        var observation = new ResponseObservation
        {
            Observation = new Observation { RawData = raw, PlayerCommon = new PlayerCommon { PlayerId = 2 } },
        };
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(
            output, RecordingSample.Match with { PlayerId = 2 }, leaveOpen: true)) writer.WriteObservation(0, 0, observation.ToByteArray());
        using var recording = RecordingSample.Open(output.ToArray());
        var match = EmulatedMatch.Load(recording, "test", info.ToByteArray(), data.ToByteArray(), Result.Tie);
        Assert.Equal(isMismatch ? (Race.Zerg, Race.Terran) : null, match.RaceMismatch);
    }

    [Fact]
    public void Answer_ReplayInfo_NamesApmAndMmrThatNoFilterRefuses()
    {
        using var stage = new Stage(new EmulatorOptions());
        var info = stage.Ask(new Request { ReplayInfo = new RequestReplayInfo { ReplayPath = "x" } }).ReplayInfo;
        Assert.Equal(2, info.PlayerInfo.Count);
        Assert.All(info.PlayerInfo, player => Assert.True(player is { PlayerApm: >= 10, PlayerMmr: >= 1000 }));
        Assert.Equal(stage.Ask(new Request { Ping = new RequestPing() }).Ping.BaseBuild, info.BaseBuild);
    }

    [Fact]
    public void Answer_RecordedResultsInTheLastObservation_AreServedAsTheyAre()
    {
        var last = new ResponseObservation
        {
            Observation = new Observation { GameLoop = Last },
            PlayerResult = { new PlayerResult { PlayerId = 1, Result = Result.Tie } },
        }.ToByteArray();
        using var stage = new Stage(new EmulatorOptions { Result = Result.Victory }, last);
        stage.Ask(new Request { JoinGame = Join });
        Assert.Equal(Last, stage.Ask(new Request { Step = new RequestStep { Count = Last - First } }).Step.SimulationLoop);
        Assert.Equal(Status.Ended, stage.Game.Status);
        Assert.Equal(last, stage.Game.Answer(new Request { Observation = new RequestObservation() }).Payload);
        Assert.Equal([new PlayerResult { PlayerId = 1, Result = Result.Tie }], stage.Observe().PlayerResult);
    }

    [Fact]
    public void Answer_AnObservationThatIsDamaged_EndsTheMatchThere()
    {
        using var stage = new Stage(new EmulatorOptions(), [0xff, 0xff], loopOfLast: First + 1, andThen: RecordingSample.Observation(Last));
        stage.Ask(new Request { JoinGame = Join });
        Assert.Equal(First, stage.Observe().Observation.GameLoop);
        stage.Ask(new Request { Step = new RequestStep { Count = Last - First } });
        var answer = stage.Game.Answer(new Request { Observation = new RequestObservation() });
        Assert.Contains("cannot be read further", answer.Error, StringComparison.Ordinal);
        Assert.Equal(Status.Ended, stage.Game.Status);
        Assert.NotNull(stage.Game.Damage);
    }

    [Fact]
    public void Load_NothingToAnswerWith_SaysWhatToDo()
    {
        var file = RecordingSample.Write([First]);
        using var recording = RecordingSample.Open(file);
        var lacks = Assert.Throws<RecordingException>(() => EmulatedMatch.Load(recording, "match.mcap", null, null, Result.Tie));
        Assert.Equal(
            ("match.mcap has no game data, which every client requests", RecordingRemedy.GiveGameData), (lacks.Message, lacks.Remedy));
        var damaged = Assert.Throws<RecordingException>(
            () => EmulatedMatch.Load(recording, "match.mcap", new byte[] { 0xff }, Array.Empty<byte>(), Result.Tie));
        Assert.Contains("the game info of match.mcap cannot be read", damaged.Message, StringComparison.Ordinal);
    }

    /// <summary>A game on loops 1000 to 1099 and a clock that stands still; its last observation may be another.</summary>
    private sealed class Stage : IDisposable
    {
        private readonly RecordingReader _recording;

        public Stage(EmulatorOptions options, byte[]? last = null, uint loopOfLast = Last, byte[]? andThen = null)
        {
            using var output = new MemoryStream();
            using (var writer = new RecordingWriter(output, RecordingSample.Match, leaveOpen: true))
            {
                var info = new ResponseGameInfo { PlayerInfo = { new PlayerInfo { PlayerId = 1 }, new PlayerInfo { PlayerId = 2 } } };
                writer.WriteGameInfo(0, info.ToByteArray());
                writer.WriteGameData(0, []);
                for (var loop = First; loop < loopOfLast; loop++) writer.WriteObservation(loop, loop, RecordingSample.Observation(loop));
                writer.WriteObservation(loopOfLast, loopOfLast, last ?? RecordingSample.Observation(loopOfLast));
                if (andThen is not null) writer.WriteObservation(Last, Last, andThen);
            }
            _recording = RecordingSample.Open(output.ToArray());
            var match = EmulatedMatch.Load(
                _recording, "test", null, null, options.Result, options.StartGameLoop, options.StopGameLoop);
            Game = new GameEmulator(
                match, new ObservationTimeline(_recording), options, Clock, new ActionLog(null, overwrite: false), Warnings.Add);
        }

        public List<string> Warnings { get; } = [];

        public ManualClock Clock { get; } = new();

        public GameEmulator Game { get; }

        public Response Ask(Request request) => Read(Game.Answer(request));

        public ResponseObservation Observe() => Ask(new Request { Observation = new RequestObservation() }).Observation;

        public Response Read(GameAnswer answer)
        {
            Assert.Null(answer.Error);
            if (answer.Field == Response.ObservationFieldNumber) OnePart.Assert(answer.Payload.Span, 3, 5, 4);
            var bytes = new ResponseEnvelope().Write(null, Game.Status, answer.Field, answer.Payload);
            return Response.Parser.ParseFrom(bytes.Span);
        }

        public void Dispose() => _recording.Dispose();
    }
}
