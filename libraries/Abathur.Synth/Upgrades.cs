using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>An upgrade: id, name, price of each resource, game loops, ability, and the building that researches it.</summary>
internal sealed record Upgrade(int Id, string Name, int Cost, int Loops, uint Ability, UnitType Building);

/// <summary>The upgrades that are researched, in the order in which each player wants them.</summary>
internal static class Upgrades
{
    public static readonly Upgrade[] Zerg =
    [
        new(66, "zerglingmovementspeed", 100, 1760, 1253, UnitTypes.SpawningPool),
        new(59, "ZergMissileWeaponsLevel1", 100, 2560, 1192, UnitTypes.EvolutionChamber),
        new(56, "ZergGroundArmorsLevel1", 150, 2560, 1189, UnitTypes.EvolutionChamber),
        new(2, "GlialReconstitution", 100, 1760, 216, UnitTypes.RoachWarren),
        new(60, "ZergMissileWeaponsLevel2", 150, 3040, 1193, UnitTypes.EvolutionChamber),
        new(57, "ZergGroundArmorsLevel2", 200, 3040, 1190, UnitTypes.EvolutionChamber),
        new(134, "EvolveGroovedSpines", 75, 1120, 1282, UnitTypes.HydraliskDen),
        new(61, "ZergMissileWeaponsLevel3", 200, 3520, 1194, UnitTypes.EvolutionChamber),
    ];

    public static readonly Upgrade[] Protoss =
    [
        new(84, "WarpGateResearch", 50, 2240, 1568, UnitTypes.CyberneticsCore),
        new(39, "ProtossGroundWeaponsLevel1", 100, 2720, 1062, UnitTypes.Forge),
        new(86, "Charge", 100, 2240, 1592, UnitTypes.TwilightCouncil),
        new(42, "ProtossGroundArmorsLevel1", 100, 2720, 1065, UnitTypes.Forge),
        new(40, "ProtossGroundWeaponsLevel2", 150, 3240, 1063, UnitTypes.Forge),
    ];

    /// <summary>Upgrades that raise attack_upgrade_level.</summary>
    public static readonly int[] Attack = [59, 60, 61, 39, 40];

    /// <summary>Upgrades that raise armor_upgrade_level.</summary>
    public static readonly int[] Armor = [56, 57, 42];

    public static Upgrade[] Of(Race race) => race == Race.Zerg ? Zerg : Protoss;
}
