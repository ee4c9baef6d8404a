using System.Globalization;
using Abathur.Protobuf;
using Abathur.Recordings;
using Abathur.Sc2;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Cli;

/// <summary>Names of unit types and abilities: those of a recording's game data, and for the others those of the program's
/// tables.</summary>
internal sealed class GameNames
{
    private readonly Dictionary<uint, string> _units = [];
    private readonly Dictionary<uint, string> _abilities = [];

    private GameNames()
    {
    }

    /// <summary>The names for a recording, whose game data may be missing or unreadable.</summary>
    public static GameNames Of(RecordingReader recording)
    {
        var names = new GameNames();
        names.Add(GameDataTables.ToResponseData());
        if (recording.GameData is not { } data) return names;
        try
        {
            names.Add(LenientParser.Parse<ResponseData>(data.Span));
        }
        catch (InvalidProtocolBufferException)
        {
            // Those of the program's tables remain.
        }
        return names;
    }

    /// <summary>Name of a unit type; its number if it has none.</summary>
    public string Unit(uint id) => Find(_units, id);

    /// <summary>Name of an ability; its number if it has none.</summary>
    public string Ability(uint id) => Find(_abilities, id);

    private static string Find(Dictionary<uint, string> names, uint id) =>
        names.TryGetValue(id, out var name) ? name : id.ToString(CultureInfo.InvariantCulture);

    private void Add(ResponseData data)
    {
        foreach (var unit in data.Units.Where(unit => unit.Name.Length > 0)) _units[unit.UnitId] = unit.Name;
        foreach (var ability in data.Abilities)
            if ((ability.FriendlyName.Length > 0 ? ability.FriendlyName : ability.LinkName) is { Length: > 0 } name)
                _abilities[ability.AbilityId] = name;
    }
}
