using SC2APIProtocol;

namespace Abathur.Emulator.Queries;

/// <summary>Whether a building can be placed: by the placement grid, and by the units in the current observation.</summary>
/// <remarks>Creep, pylon power, and the distance of town halls to resources are not checked.</remarks>
internal sealed class BuildingPlacement
{
    private const float TownHall = 2.5f;
    private const float Usual = 1.5f;
    // Add-ons have a footprint that includes their host's.
    private const float LargestFootprint = 3;
    private const float GeyserReach = 1;
    private static readonly string[] TownHalls = ["Hatchery", "Nexus", "CommandCenter"];
    private static readonly string[] GasBuildings =
    [
        "Refinery", "RefineryRich", "Assimilator", "AssimilatorRich", "Extractor", "ExtractorRich",
    ];

    private readonly TerrainGrid _grid;
    private readonly Dictionary<uint, AbilityData> _abilities = [];
    private readonly Dictionary<uint, UnitTypeData> _types = [];
    private readonly Dictionary<uint, UnitTypeData> _madeBy = [];
    private readonly HashSet<uint> _gasTypes = [];

    public BuildingPlacement(TerrainGrid grid, ResponseData data)
    {
        _grid = grid;
        foreach (var ability in data.Abilities) _abilities[ability.AbilityId] = ability;
        foreach (var type in data.Units)
        {
            _types[type.UnitId] = type;
            if (type.AbilityId != 0 && type.Available) _madeBy.TryAdd(type.AbilityId, type);
            if (GasBuildings.Contains(type.Name)) _gasTypes.Add(type.UnitId);
        }
    }

    /// <summary>Success, or why the building that an ability makes cannot stand there.</summary>
    /// <param name="abilityId">The ability.</param>
    /// <param name="target">Middle of the building, in map cells.</param>
    /// <param name="placing">The unit that builds, which does not block itself; null if it is not known.</param>
    /// <param name="units">What is on the map.</param>
    public ActionResult Check(uint abilityId, Point2D? target, Unit? placing, IEnumerable<Unit> units)
    {
        if (target is null) return ActionResult.CantFindPlacementLocation;
        if (!_abilities.TryGetValue(abilityId, out var ability)) return ActionResult.NotSupported;
        if (_madeBy.TryGetValue(abilityId, out var made) && _gasTypes.Contains(made.UnitId)) return CheckGas(target, units);
        var half = FootprintOf(ability, made);
        // Also false for coordinates that are not numbers.
        if (!_grid[TerrainGrid.CellAt(target.X), TerrainGrid.CellAt(target.Y)]) return ActionResult.CantBuildLocationInvalid;
        // A product that is not a building, such as a warped-in unit, takes one cell.
        var reach = MathF.Max(half, 0.01f);
        for (var y = (int)MathF.Floor(target.Y - reach + 0.005f); y < target.Y + reach - 0.005f; y++)
        {
            for (var x = (int)MathF.Floor(target.X - reach + 0.005f); x < target.X + reach - 0.005f; x++)
            {
                if (!_grid[x, y]) return ActionResult.CantBuildLocationInvalid;
            }
        }
        foreach (var unit in units)
        {
            if (unit.Tag == placing?.Tag || unit.Pos is not { } at || HalfSizeOf(unit) is not { } size) continue;
            if (MathF.Abs(at.X - target.X) < half + size.X - 0.01f && MathF.Abs(at.Y - target.Y) < half + size.Y - 0.01f)
                return ActionResult.CantBuildLocationInvalid;
        }
        return ActionResult.Success;
    }

    /// <summary>Success, or what a player lacks to pay for what an ability makes.</summary>
    public ActionResult Affordable(uint abilityId, PlayerCommon common)
    {
        if (!_madeBy.TryGetValue(abilityId, out var made)) return ActionResult.Success;
        if (made.MineralCost > common.Minerals) return ActionResult.NotEnoughMinerals;
        return made.VespeneCost > common.Vespene ? ActionResult.NotEnoughVespene : ActionResult.Success;
    }

    /// <summary>Whether a unit has a footprint, and a point is in it.</summary>
    public bool Covers(Unit unit, Point2D point) =>
        unit.Pos is { } at && HalfSizeOf(unit) is { } half && MathF.Abs(at.X - point.X) <= half.X && MathF.Abs(at.Y - point.Y) <= half.Y;

    /// <summary>Whether a town hall at a start location would cover a point.</summary>
    public static bool IsInTownHall(Point2D start, Point2D point) =>
        MathF.Abs(start.X - point.X) <= TownHall && MathF.Abs(start.Y - point.Y) <= TownHall;

    private ActionResult CheckGas(Point2D target, IEnumerable<Unit> units)
    {
        var isOnGeyser = false;
        foreach (var unit in units)
        {
            if (unit.Pos is not { } at || MathF.Abs(at.X - target.X) > GeyserReach || MathF.Abs(at.Y - target.Y) > GeyserReach) continue;
            if (_gasTypes.Contains(unit.UnitType)) return ActionResult.CantBuildOnThat;
            isOnGeyser |= _types.TryGetValue(unit.UnitType, out var type) && type.HasVespene;
        }
        return isOnGeyser ? ActionResult.Success : ActionResult.CantBuildLocationInvalid;
    }

    private static float FootprintOf(AbilityData ability, UnitTypeData? made)
    {
        if (ability.FootprintRadius is > 0 and <= LargestFootprint) return ability.FootprintRadius;
        if (!ability.IsBuilding) return 0;
        return made is not null && TownHalls.Contains(made.Name) ? TownHall : Usual;
    }

    /// <summary>Half the width and height of a unit that blocks the ground; null for others.</summary>
    private (float X, float Y)? HalfSizeOf(Unit unit)
    {
        if (unit.IsFlying || !_types.TryGetValue(unit.UnitType, out var type)) return null;
        if (type.HasMinerals) return (1, 0.5f);
        if (type.HasVespene) return (Usual, Usual);
        if (!type.Attributes.Contains(SC2APIProtocol.Attribute.Structure)) return null;
        if (_abilities.TryGetValue(type.AbilityId, out var ability) && ability.FootprintRadius is > 0 and <= LargestFootprint)
            return (ability.FootprintRadius, ability.FootprintRadius);
        // The radius of buildings is slightly larger than their footprint.
        var half = unit.Radius switch { >= TownHall => TownHall, >= Usual => Usual, >= 0.8f => 1, _ => 0.5f };
        return (half, half);
    }
}
