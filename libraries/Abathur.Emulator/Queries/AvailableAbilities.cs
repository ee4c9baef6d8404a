using SC2APIProtocol;

namespace Abathur.Emulator.Queries;

/// <summary>The available abilities of a unit: an estimate from the game data and the other units of its player.</summary>
/// <remarks>
/// Completed own units have: attack, move, stop, hold position and patrol if they can move; workers also gather and the buildings of their
/// race; producers the products of the abilities named after them ("BarracksTrain", "EngineeringBayResearch"), and Zerg town halls queens.
/// Required buildings must be complete, and the player must be able to pay unless resources are ignored. Spells, morphs, add-ons, cooldowns
/// and queues are not considered, because the data does not have them.
/// </remarks>
internal sealed class AvailableAbilities
{
    private const float Complete = 1;
    // Attack, move, stop, hold position, patrol.
    private static readonly int[] Movement = [23, 16, 4, 18, 17];
    // The gather ability, and the name prefix of the build abilities: SCV, drone, probe.
    private static readonly Dictionary<string, (int Gather, string Build)> Workers = new()
    {
        ["SCV"] = (295, "TerranBuild"),
        ["Drone"] = (1183, "ZergBuild"),
        ["Probe"] = (298, "ProtossBuild"),
    };

    // This ability is not named after the building.
    private const string TrainQueen = "TrainQueen";
    private static readonly string[] ZergTownHalls = ["Hatchery", "Lair", "Hive"];

    private readonly Dictionary<uint, UnitTypeData> _types = [];
    private readonly Dictionary<uint, AbilityData> _abilities = [];
    private readonly ILookup<string, Product> _products;

    public AvailableAbilities(ResponseData data)
    {
        foreach (var type in data.Units) _types[type.UnitId] = type;
        foreach (var ability in data.Abilities) _abilities[ability.AbilityId] = ability;
        var units = data.Units.Where(type => type.Available && type.AbilityId != 0)
            .Select(type => new Product(type.AbilityId, type.MineralCost, type.VespeneCost, type.TechRequirement));
        var upgrades = data.Upgrades.Where(upgrade => upgrade.AbilityId != 0)
            .Select(upgrade => new Product(upgrade.AbilityId, upgrade.MineralCost, upgrade.VespeneCost, 0));
        _products = units.Concat(upgrades).DistinctBy(product => product.Ability)
            .Where(product => _abilities.ContainsKey(product.Ability))
            // Ignore case: the game's data has "evolutionchamberresearch".
            .ToLookup(product => _abilities[product.Ability].LinkName, StringComparer.OrdinalIgnoreCase);
    }

    /// <summary>The abilities of one unit.</summary>
    /// <param name="unit">The unit.</param>
    /// <param name="units">All units.</param>
    /// <param name="resources">The player's resources; null: unlimited.</param>
    public IEnumerable<AvailableAbility> Of(Unit unit, IEnumerable<Unit> units, PlayerCommon? resources)
    {
        if (unit.Alliance != Alliance.Self || unit.BuildProgress < Complete || !_types.TryGetValue(unit.UnitType, out var type)) return [];
        var ids = new List<int>();
        if (type.MovementSpeed > 0) ids.AddRange(type.Weapons.Count > 0 ? Movement : Movement[1..]);
        var names = new List<string> { type.Name + "Train", type.Name + "Research" };
        if (Workers.TryGetValue(type.Name, out var worker))
        {
            ids.Add(worker.Gather);
            names.Add(worker.Build);
        }
        if (ZergTownHalls.Contains(type.Name)) names.Add(TrainQueen);
        // A lair also counts as a hatchery; a flying building does not count as the landed one.
        if (type.UnitAlias != 0 && !unit.IsFlying && _types.TryGetValue(type.UnitAlias, out var alias)) names.Add(alias.Name + "Train");
        var products = names.SelectMany(name => _products[name]).ToList();
        if (products.Count > 0)
        {
            var owned = units.Where(each => each.Alliance == Alliance.Self
                && each.BuildProgress >= Complete).Select(each => each.UnitType).ToHashSet();
            foreach (var id in owned.ToArray())
            {
                if (_types.TryGetValue(id, out var ownedType)) owned.UnionWith(ownedType.TechAlias.Append(ownedType.UnitAlias));
            }
            ids.AddRange(products.Where(product => IsAvailable(product, owned, resources)).Select(product => (int)product.Ability));
        }
        return ids.Distinct().Select(id => new AvailableAbility { AbilityId = id, RequiresPoint = NeedsPoint(id) });
    }

    private static bool IsAvailable(Product product, HashSet<uint> owned, PlayerCommon? resources) =>
        (product.Requires == 0 || owned.Contains(product.Requires))
        && (resources is null || (resources.Minerals >= product.Minerals && resources.Vespene >= product.Vespene));

    private bool NeedsPoint(int id) =>
        _abilities.TryGetValue((uint)id, out var ability)
            && ability.Target is (AbilityData.Types.Target.Point or AbilityData.Types.Target.PointOrUnit);

    private readonly record struct Product(uint Ability, uint Minerals, uint Vespene, uint Requires);
}
