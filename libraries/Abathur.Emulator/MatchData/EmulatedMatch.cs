using System.Globalization;
using Abathur.Mcap;
using Abathur.Protobuf.Wire;
using Abathur.Recordings;
using Google.Protobuf;
using SC2APIProtocol;
using static Google.Protobuf.WireFormat;

namespace Abathur.Emulator.MatchData;

/// <summary>The constant data of a match that is played from a recording.</summary>
public sealed class EmulatedMatch
{
    // The last version in python-sc2's list with the protocol of protos/s2clientprotocol.
    private const string DefaultGameVersion = "5.0.14.93333";
    private const uint DefaultBuild = 93333;
    // How far before the last observation the end of the match may be recorded: 10 s.
    private const uint EndMargin = 224;
    // Tools skip replays with less than 10 actions per minute, or a rating of less than 1000.
    private const int DefaultApm = 100;
    private const int DefaultMmr = 3000;
    private const string DefaultDataVersion = "446907060311FB1CC29EB31E547BB9FD";

    private EmulatedMatch(ResponseGameInfo info, ReadOnlyMemory<byte> infoBytes, ReadOnlyMemory<byte> data)
    {
        Info = info;
        InfoBytes = infoBytes;
        Data = data;
    }

    public ResponseGameInfo Info { get; }

    /// <summary>Serialized <c>ResponseGameInfo</c>, as recorded.</summary>
    public ReadOnlyMemory<byte> InfoBytes { get; }

    /// <summary>Serialized <c>ResponseData</c>, as recorded, and the missing <see cref="GeneralAbilities"/>.</summary>
    public ReadOnlyMemory<byte> Data { get; }

    /// <summary>Game loop of the first observation.</summary>
    public uint FirstGameLoop { get; private init; }

    /// <summary>Game loop of the last observation.</summary>
    public uint LastGameLoop { get; private init; }

    /// <summary>The player whose observations were recorded.</summary>
    public uint PlayerId { get; private init; }

    /// <summary>How the match ended, for each player.</summary>
    public IReadOnlyList<PlayerResult> Results { get; private init; } = [];

    /// <summary>Whether the last observation has the results.</summary>
    public bool LastHasResults { get; private init; }

    public ResponsePing Ping { get; private init; } = new();

    /// <summary>Whether the recorded observations have feature layers.</summary>
    public bool HasFeatureLayers { get; private init; }

    /// <summary>Whether the recorded observations have rendered images.</summary>
    public bool HasRenderedImages { get; private init; }

    /// <summary>Race of the recorded player's units, and the race in the game info, if they differ; null if they are equal or one is
    /// unknown.</summary>
    public (Race Units, Race GameInfo)? RaceMismatch { get; private init; }

    /// <summary>Actions per minute and matchmaking rating for the replay info: from the recording's metadata, else values that pass the
    /// usual filters of replays.</summary>
    public (int Apm, int Mmr) PlayerFigures { get; private init; }

    /// <summary>Reads a recording, and rewinds it to its first observation.</summary>
    /// <param name="recording">The recording.</param>
    /// <param name="name">Its name for errors.</param>
    /// <param name="gameInfo">Serialized <c>ResponseGameInfo</c> that replaces that of the recording; null: use the recording's.</param>
    /// <param name="gameData">Serialized <c>ResponseData</c> that replaces that of the recording; null: use the recording's.</param>
    /// <param name="result">Result of the recorded player if the recording has none, or if the match ends before it.</param>
    /// <param name="start">Game loop at which the match begins: with the first observation at or after it.</param>
    /// <param name="stop">Game loop at which the match ends: with the last observation at or before it; null: the end of the
    /// recording.</param>
    /// <exception cref="RecordingException">It has no observation between the start and the stop, no game info or no game data, or they
    /// cannot be read.</exception>
    public static EmulatedMatch Load(
        RecordingReader recording, string name, ReadOnlyMemory<byte>? gameInfo, ReadOnlyMemory<byte>? gameData, Result result,
        uint start = 0, uint? stop = null)
    {
        var infoBytes = gameInfo ?? recording.GameInfo ?? throw Missing(name, "game info", RecordingRemedy.GiveGameInfo);
        var dataBytes = gameData ?? recording.GameData ?? throw Missing(name, "game data", RecordingRemedy.GiveGameData);
        var info = Parse(infoBytes, ResponseGameInfo.Parser, name, "game info");
        var data = Parse(dataBytes, ResponseData.Parser, name, "game data");
        var missing = GeneralAbilities.MissingFrom(data);
        recording.Rewind();
        if (!recording.ReadNext(out var observation)) throw new RecordingException($"{name} has no observation");
        var window = MatchWindow.Of(recording, name, start, stop ?? uint.MaxValue);
        if (window.IsCutAtStart && !(recording.SeekToGameLoop(window.FirstGameLoop) && recording.ReadNext(out observation)))
            throw new RecordingException($"{name} has no observation at game loop {window.FirstGameLoop}");
        var first = Parse(observation.Payload, ResponseObservation.Parser, name, "first observation");
        var recorded = recording.Match.PlayerId;
        var player = recorded != 0 ? recorded : Math.Max(1, first.Observation?.PlayerCommon?.PlayerId ?? 0);
        var last = window.IsCutAtEnd ? [] : TryRead(LastResults, recording);
        var results = last.Count > 0 || window.IsCutAtEnd ? last : TryRead(EventResults, recording);
        recording.Rewind();
        return new EmulatedMatch(info, infoBytes, new([.. dataBytes.Span, .. missing.ToByteArray()]))
        {
            FirstGameLoop = window.FirstGameLoop,
            LastGameLoop = window.LastGameLoop,
            PlayerId = player,
            Results = results.Count > 0 ? results : DefaultResults(info, player, result),
            LastHasResults = last.Count > 0,
            Ping = PingOf(recording.Match),
            HasFeatureLayers = first.Observation?.FeatureLayerData is not null,
            HasRenderedImages = first.Observation?.RenderData is not null,
            RaceMismatch = MismatchOf(info, data, player, first.Observation?.RawData),
            PlayerFigures = (Number(recording.Match, "player_apm", DefaultApm), Number(recording.Match, "player_mmr", DefaultMmr)),
        };
    }

    private static RecordingException Missing(string name, string what, RecordingRemedy remedy) =>
        new($"{name} has no {what}, which every client requests") { Remedy = remedy };

    private static T Parse<T>(ReadOnlyMemory<byte> bytes, MessageParser<T> parser, string name, string what) where T : IMessage<T>
    {
        try
        {
            return parser.ParseFrom(bytes.Span);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new RecordingException($"the {what} of {name} cannot be read: {e.Message}", e);
        }
    }

    /// <summary>The results in a part of the recording; empty if the file is damaged before them. The game plays up to the
    /// damage.</summary>
    private static List<PlayerResult> TryRead(Func<RecordingReader, List<PlayerResult>> results, RecordingReader recording)
    {
        try
        {
            return results(recording);
        }
        catch (McapException)
        {
            return [];
        }
    }

    private static List<PlayerResult> LastResults(RecordingReader recording)
    {
        var results = new List<PlayerResult>();
        if (!recording.SeekToGameLoop(recording.LastGameLoop)) return results;
        while (recording.ReadNext(out var observation))
        {
            results.Clear();
            var reader = new WireReader(observation.Payload.Span);
            while (reader.ReadTag())
            {
                if (reader.FieldNumber == ResponseObservation.PlayerResultFieldNumber && reader.WireType == WireType.LengthDelimited)
                    results.Add(PlayerResult.Parser.ParseFrom(reader.ReadBytes()));
                else
                    reader.SkipValue();
            }
        }
        return results;
    }

    private static List<PlayerResult> EventResults(RecordingReader recording) =>
        recording.Mcap.Channels.Values.Any(channel => channel.Topic == RecordingTopics.Events)
            ? [.. recording.ReadMessages(recording.LastGameLoop - Math.Min(recording.LastGameLoop, EndMargin))
                .Where(message => message.Topic == RecordingTopics.Events)
                .Select(message => Sync.V1.Event.Parser.ParseFrom(message.Payload.Span))
                .LastOrDefault(each => each.MatchEnded is not null)?.MatchEnded.PlayerResult ?? []]
            : [];

    private static List<PlayerResult> DefaultResults(ResponseGameInfo info, uint player, Result result)
    {
        var opposite = result switch { Result.Victory => Result.Defeat, Result.Defeat => Result.Victory, _ => result };
        var players = info.PlayerInfo.Where(each => each.Type != PlayerType.Observer)
            .Select(each => each.PlayerId)
            .Append(player)
            .Distinct()
            .Order();
        return [.. players.Select(id => new PlayerResult { PlayerId = id, Result = id == player ? result : opposite })];
    }

    private static ResponsePing PingOf(RecordingMatch match)
    {
        var build = (uint)Number(match, "base_build", (int)DefaultBuild);
        return new ResponsePing
        {
            GameVersion = match.GameVersion.Length > 0 ? match.GameVersion : DefaultGameVersion,
            DataVersion = match.More.GetValueOrDefault("data_version", DefaultDataVersion),
            DataBuild = (uint)Number(match, "data_build", (int)build),
            BaseBuild = build,
        };
    }

    private static int Number(RecordingMatch match, string key, int otherwise) =>
        match.More.TryGetValue(key, out var text) && int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            ? number
            : otherwise;

    private static (Race Units, Race GameInfo)? MismatchOf(ResponseGameInfo info, ResponseData data, uint player, ObservationRaw? raw)
    {
        var named = info.PlayerInfo.FirstOrDefault(each => each.PlayerId == player);
        var race = named is null ? Race.NoRace : named.HasRaceActual ? named.RaceActual : named.RaceRequested;
        var races = data.Units.DistinctBy(type => type.UnitId).ToDictionary(type => type.UnitId, type => type.Race);
        var units = (raw?.Units ?? []).Where(unit => unit.Alliance == Alliance.Self)
            .Select(unit => races.GetValueOrDefault(unit.UnitType))
            .Where(IsOne)
            .GroupBy(each => each)
            .MaxBy(each => each.Count())?.Key;
        return IsOne(race) && units is { } own && own != race ? (own, race) : null;

        static bool IsOne(Race race) => race is Race.Terran or Race.Zerg or Race.Protoss;
    }
}
