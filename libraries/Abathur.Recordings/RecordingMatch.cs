using System.Globalization;
using Abathur.Mcap;
using Abathur.Sc2;

namespace Abathur.Recordings;

/// <summary>The match of a recording, from its metadata record <c>abathur.match</c>.</summary>
/// <remarks>Keys: match_id, player_id, map_name, game_version, tick_hz, source, simulated,
/// group_id. Numbers are culture-invariant; other keys are
/// kept.</remarks>
public sealed record RecordingMatch
{
    /// <summary>Name of the metadata record.</summary>
    public const string MetadataName = "abathur.match";

    /// <summary>Identifies the match; the same whenever the recording is played.</summary>
    public required string MatchId { get; init; }

    /// <summary>Player id of the observing player, 1 to 16; 0 if unknown.</summary>
    public uint PlayerId { get; init; }

    /// <summary>Name of the map; empty if unknown.</summary>
    public string MapName { get; init; } = "";

    /// <summary>Version of the game, e.g. "5.0.14"; empty if unknown.</summary>
    public string GameVersion { get; init; } = "";

    /// <summary>Game loops per second of wall clock: 22.4 or 16. Default: 22.4.</summary>
    public double TickHz { get; init; } = GameTime.LoopsPerSecond;

    /// <summary>Source of the observations: "live", "proxy", "push", "synth", "import".</summary>
    public string Source { get; init; } = "";

    /// <summary>Whether they are from the match generator rather than from a game.</summary>
    public bool Simulated { get; init; }

    /// <summary>The same in the recordings of both players of a game, if one daemon made both: the match id of one of them; empty if
    /// unknown.</summary>
    public string GroupId { get; init; } = "";

    /// <summary>Further entries of the metadata record.</summary>
    public IReadOnlyDictionary<string, string> More { get; init; } = new Dictionary<string, string>();

    internal McapMetadata ToMetadata()
    {
        var values = new Dictionary<string, string>
        {
            ["match_id"] = MatchId,
            ["player_id"] = PlayerId.ToString(CultureInfo.InvariantCulture),
            ["map_name"] = MapName,
            ["game_version"] = GameVersion,
            ["tick_hz"] = TickHz.ToString("R", CultureInfo.InvariantCulture),
            ["source"] = Source,
            ["simulated"] = Simulated ? "true" : "false",
        };
        if (GroupId.Length > 0) values["group_id"] = GroupId;
        foreach (var (key, value) in More) values.TryAdd(key, value);
        return new McapMetadata(MetadataName, values);
    }

    internal static RecordingMatch From(McapMetadata metadata)
    {
        var rest = new Dictionary<string, string>(metadata.Values);
        string Take(string key) => rest.Remove(key, out var value) ? value : "";
        return new RecordingMatch
        {
            MatchId = Take("match_id"),
            PlayerId = uint.TryParse(Take("player_id"), NumberStyles.None, CultureInfo.InvariantCulture, out var player) ? player : 0,
            MapName = Take("map_name"),
            GameVersion = Take("game_version"),
            TickHz = double.TryParse(Take("tick_hz"), NumberStyles.Float, CultureInfo.InvariantCulture, out var hz) && hz is > 0 and <= 1000
                ? hz
                : GameTime.LoopsPerSecond,
            Source = Take("source"),
            Simulated = Take("simulated") == "true",
            GroupId = Take("group_id"),
            More = rest,
        };
    }
}
