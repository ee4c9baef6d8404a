using Abathur.Sc2;
using SC2APIProtocol;
using Attribute = SC2APIProtocol.Attribute;

namespace Abathur.Sync.Matches.History;

/// <summary>What the timeline needs to know of each unit type.</summary>
internal sealed class UnitKinds
{
    // Of Terran, Zerg and Protoss, with those in the air.
    private static readonly HashSet<uint> Bases = [18, 36, 59, 86, 100, 101, 130, 132, 134];
    // SCV, probe, drone, burrowed drone.
    private static readonly HashSet<uint> Workers = [45, 84, 104, 116];
    private static readonly Lazy<UnitKinds> OfTables = new(() => new UnitKinds(GameDataTables.ToResponseData()));
    private readonly Dictionary<uint, UnitKind> _kinds = [];

    private UnitKinds(ResponseData data)
    {
        foreach (var unit in data.Units)
        {
            var isStructure = unit.Attributes.Contains(Attribute.Structure);
            var isWorker = Workers.Contains(unit.UnitId);
            _kinds[unit.UnitId] = new(
                unit.MineralCost + unit.VespeneCost, unit.FoodRequired, isStructure, isWorker, Bases.Contains(unit.UnitId),
                !isStructure && !isWorker && unit.FoodRequired > 0);
        }
    }

    /// <summary>By the data of a match; null: by the tables in the program.</summary>
    public static UnitKinds Of(ResponseData? data) => data is { Units.Count: > 0 } ? new UnitKinds(data) : OfTables.Value;

    /// <summary>The kind of a unit type; nothing if it is unknown.</summary>
    public UnitKind this[uint unitType] => _kinds.GetValueOrDefault(unitType);
}

/// <summary>A kind of units.</summary>
/// <param name="Value">Minerals and vespene that one costs.</param>
/// <param name="Food">Supply that one takes.</param>
/// <param name="IsStructure">Whether it is a structure.</param>
/// <param name="IsWorker">Whether it is a worker.</param>
/// <param name="IsBase">Whether it is a town hall.</param>
/// <param name="IsArmy">Whether it takes supply and is not a worker.</param>
internal readonly record struct UnitKind(float Value, float Food, bool IsStructure, bool IsWorker, bool IsBase, bool IsArmy);
