using SC2APIProtocol;
using A = SC2APIProtocol.Attribute;
using R = Abathur.Synth.UnitRole;

namespace Abathur.Synth;

/// <summary>The unit types that occur in generated matches, with the figures of game version 5.0.</summary>
internal static class UnitTypes
{
    // Zerg units
    public static readonly UnitType Larva = new(151, "Larva", R.Larva, 25)
    { Race = Race.Zerg, Sight = 5, Speed = 0.5625f, Armor = 10, Radius = 0.125f, WritesPower = true, Attributes = [A.Light, A.Biological] };
    public static readonly UnitType Egg = new(103, "Egg", R.Egg, 200)
    { Race = Race.Zerg, Sight = 5, Armor = 10, WritesPower = true, Attributes = [A.Biological] };
    public static readonly UnitType Drone = new(104, "Drone", R.Worker, 40)
    {
        Race = Race.Zerg,
        Minerals = 50,
        SupplyHalves = 2,
        BuildLoops = 272,
        Ability = 1342,
        Sight = 8,
        Speed = 2.8125f,
        CargoSize = 1,
        Weapon = new(5, 0.2f, 1.5f),
        Attributes = [A.Light, A.Biological],
    };
    public static readonly UnitType Overlord = new(106, "Overlord", R.Supply, 200)
    {
        Race = Race.Zerg,
        Minerals = 100,
        SupplyProvided = 8,
        BuildLoops = 400,
        Ability = 1344,
        Sight = 11,
        Speed = 0.6445f,
        Radius = 1,
        IsFlying = true,
        Attributes = [A.Armored, A.Biological],
    };
    public static readonly UnitType TransportCocoon = new(892, "TransportOverlordCocoon", R.Supply, 200)
    { Race = Race.Zerg, SupplyProvided = 8, Sight = 5, Armor = 2, Radius = 1, IsFlying = true, Attributes = [A.Biological] };
    public static readonly UnitType OverlordTransport = new(893, "OverlordTransport", R.Supply, 200)
    {
        Race = Race.Zerg,
        Minerals = 100,
        SupplyProvided = 8,
        BuildLoops = 336,
        Ability = 2708,
        Requires = 100,
        Sight = 11,
        Speed = 0.9141f,
        Radius = 1,
        IsFlying = true,
        CargoMax = 8,
        WritesPower = true,
        Attributes = [A.Armored, A.Biological],
    };
    public static readonly UnitType OverlordCocoon = new(128, "OverlordCocoon", R.Supply, 200)
    { Race = Race.Zerg, SupplyProvided = 8, Sight = 5, Armor = 2, Radius = 1, IsFlying = true, Attributes = [A.Biological] };
    public static readonly UnitType Overseer = new(129, "Overseer", R.Supply, 200)
    {
        Race = Race.Zerg,
        Minerals = 150,
        Vespene = 50,
        SupplyProvided = 8,
        BuildLoops = 267,
        Ability = 1448,
        Requires = 100,
        Sight = 11,
        Speed = 1.875f,
        Armor = 1,
        Energy = 200,
        Radius = 1,
        IsFlying = true,
        DetectRange = 11,
        WritesPower = true,
        Attributes = [A.Armored, A.Biological],
    };
    public static readonly UnitType Queen = new(126, "Queen", R.Queen, 175)
    {
        Race = Race.Zerg,
        Minerals = 175,
        SupplyHalves = 4,
        BuildLoops = 800,
        Ability = 1632,
        Requires = 89,
        Sight = 9,
        Speed = 0.9375f,
        Armor = 1,
        Energy = 200,
        Radius = 0.875f,
        CargoSize = 2,
        WritesPower = true,
        Weapon = new(4, 5, 1, 2),
        Attributes = [A.Biological, A.Psionic],
    };
    public static readonly UnitType Zergling = new(105, "Zergling", R.Army, 35)
    {
        Race = Race.Zerg,
        Minerals = 25,
        SupplyHalves = 1,
        BuildLoops = 384,
        Ability = 1343,
        Requires = 89,
        Sight = 8,
        Speed = 2.9531f,
        CargoSize = 1,
        Weapon = new(5, 0.1f, 0.696f),
        Attributes = [A.Light, A.Biological],
    };
    public static readonly UnitType BanelingCocoon = new(8, "BanelingCocoon", R.Army, 50)
    { Race = Race.Zerg, SupplyHalves = 1, Sight = 5, Armor = 2, WritesPower = true, Attributes = [A.Biological] };
    public static readonly UnitType Baneling = new(9, "Baneling", R.Army, 30)
    {
        Race = Race.Zerg,
        Minerals = 50,
        Vespene = 25,
        SupplyHalves = 1,
        BuildLoops = 320,
        Ability = 80,
        Requires = 96,
        Sight = 8,
        Speed = 2.5f,
        CargoSize = 2,
        WritesPower = true,
        Weapon = new(16, 0.25f, 0.833f),
        Attributes = [A.Biological],
    };
    public static readonly UnitType Roach = new(110, "Roach", R.Army, 145)
    {
        Race = Race.Zerg,
        Minerals = 75,
        Vespene = 25,
        SupplyHalves = 4,
        BuildLoops = 432,
        Ability = 1351,
        Requires = 97,
        Sight = 9,
        Speed = 2.25f,
        Armor = 1,
        Radius = 0.5f,
        CargoSize = 2,
        Weapon = new(16, 4, 2),
        Attributes = [A.Armored, A.Biological],
    };
    public static readonly UnitType RavagerCocoon = new(687, "RavagerCocoon", R.Army, 100)
    { Race = Race.Zerg, SupplyHalves = 6, Sight = 5, Armor = 5, Radius = 0.5f, WritesPower = true, Attributes = [A.Biological] };
    public static readonly UnitType Ravager = new(688, "Ravager", R.Army, 120)
    {
        Race = Race.Zerg,
        Minerals = 100,
        Vespene = 100,
        SupplyHalves = 6,
        BuildLoops = 272,
        Ability = 2330,
        Requires = 97,
        Sight = 9,
        Speed = 2.75f,
        Armor = 1,
        Radius = 0.75f,
        CargoSize = 4,
        Weapon = new(16, 6, 1.6f),
        Attributes = [A.Biological],
    };
    public static readonly UnitType Hydralisk = new(107, "Hydralisk", R.Army, 90)
    {
        Race = Race.Zerg,
        Minerals = 100,
        Vespene = 50,
        SupplyHalves = 4,
        BuildLoops = 528,
        Ability = 1345,
        Requires = 91,
        Sight = 9,
        Speed = 2.25f,
        Radius = 0.625f,
        CargoSize = 2,
        Weapon = new(12, 5, 0.825f, HitsAir: true),
        Attributes = [A.Light, A.Biological],
    };
    public static readonly UnitType Ultralisk = new(109, "Ultralisk", R.Army, 500)
    {
        Race = Race.Zerg,
        Minerals = 275,
        Vespene = 200,
        SupplyHalves = 12,
        BuildLoops = 880,
        Ability = 1348,
        Requires = 101,
        Sight = 9,
        Speed = 2.9531f,
        Armor = 2,
        Radius = 0.875f,
        CargoSize = 8,
        WritesPower = true,
        Weapon = new(35, 1, 0.86f),
        Attributes = [A.Armored, A.Biological, A.Massive],
    };

    // Zerg structures
    public static readonly UnitType Hatchery = new(86, "Hatchery", R.TownHall, 1500)
    {
        Race = Race.Zerg,
        Minerals = 325,
        SupplyProvided = 6,
        BuildLoops = 1600,
        Ability = 1152,
        Sight = 12,
        Armor = 1,
        Radius = 2.75f,
        IsStructure = true,
        WritesPower = true,
        CreepRadius = 12,
        Attributes = [A.Armored, A.Biological, A.Structure],
    };
    public static readonly UnitType Lair = Hatchery with
    { Id = 100, Name = "Lair", Health = 2000, Minerals = 475, Vespene = 100, BuildLoops = 1280, Ability = 1216, Requires = 89 };
    public static readonly UnitType Hive = Hatchery with
    { Id = 101, Name = "Hive", Health = 2500, Minerals = 675, Vespene = 250, BuildLoops = 1600, Ability = 1218, Requires = 94 };
    public static readonly UnitType Extractor = new(88, "Extractor", R.GasBuilding, 500)
    {
        Race = Race.Zerg,
        Minerals = 75,
        BuildLoops = 480,
        Ability = 1154,
        Sight = 9,
        Armor = 1,
        Radius = 1.9375f,
        IsStructure = true,
        WritesPower = true,
        Attributes = [A.Armored, A.Biological, A.Structure],
    };
    public static readonly UnitType SpawningPool = new(89, "SpawningPool", R.Tech, 1000)
    {
        Race = Race.Zerg,
        Minerals = 250,
        BuildLoops = 1040,
        Ability = 1155,
        Requires = 86,
        Sight = 9,
        Armor = 1,
        Radius = 1.8125f,
        IsStructure = true,
        WritesPower = true,
        Attributes = [A.Armored, A.Biological, A.Structure],
    };
    public static readonly UnitType EvolutionChamber = SpawningPool with
    { Id = 90, Name = "EvolutionChamber", Health = 750, Minerals = 125, BuildLoops = 560, Ability = 1156 };
    public static readonly UnitType RoachWarren = SpawningPool with
    { Id = 97, Name = "RoachWarren", Health = 850, Minerals = 200, BuildLoops = 880, Ability = 1165, Requires = 89 };
    public static readonly UnitType BanelingNest = SpawningPool with
    { Id = 96, Name = "BanelingNest", Health = 850, Minerals = 150, Vespene = 50, BuildLoops = 960, Ability = 1162, Requires = 89 };
    public static readonly UnitType HydraliskDen = SpawningPool with
    { Id = 91, Name = "HydraliskDen", Health = 850, Minerals = 150, Vespene = 100, BuildLoops = 640, Ability = 1157, Requires = 100 };
    public static readonly UnitType InfestationPit = SpawningPool with
    { Id = 94, Name = "InfestationPit", Health = 850, Minerals = 150, Vespene = 100, BuildLoops = 800, Ability = 1160, Requires = 100 };
    public static readonly UnitType SpineCrawler = new(98, "SpineCrawler", R.Defense, 300)
    {
        Race = Race.Zerg,
        Minerals = 150,
        BuildLoops = 800,
        Ability = 1166,
        Requires = 89,
        Sight = 11,
        Armor = 2,
        Radius = 0.875f,
        IsStructure = true,
        WritesPower = true,
        Weapon = new(25, 7, 1.85f),
        Attributes = [A.Armored, A.Biological, A.Structure],
    };
    public static readonly UnitType SporeCrawler = SpineCrawler with
    {
        Id = 99,
        Name = "SporeCrawler",
        Minerals = 125,
        BuildLoops = 480,
        Ability = 1167,
        Armor = 1,
        DetectRange = 11,
        Weapon = new(20, 7, 0.861f, HitsAir: true, HitsGround: false),
    };
    public static readonly UnitType CreepTumorQueen = new(138, "CreepTumorQueen", R.CreepTumor, 50)
    {
        Race = Race.Zerg,
        BuildLoops = 240,
        Ability = 1694,
        Sight = 10,
        Radius = 1,
        IsStructure = true,
        WritesPower = true,
        Attributes = [A.Light, A.Biological, A.Structure],
    };
    public static readonly UnitType CreepTumor = CreepTumorQueen with { Id = 87, Name = "CreepTumor", Ability = 1733 };
    public static readonly UnitType CreepTumorBurrowed = CreepTumorQueen with
    { Id = 137, Name = "CreepTumorBurrowed", BuildLoops = 19, Ability = 1662, CreepRadius = 10, IsBurrowed = true };

    // Protoss units
    public static readonly UnitType Probe = new(84, "Probe", R.Worker, 20)
    {
        Race = Race.Protoss,
        Minerals = 50,
        SupplyHalves = 2,
        BuildLoops = 272,
        Ability = 1006,
        Sight = 8,
        Speed = 2.8125f,
        Shield = 20,
        CargoSize = 1,
        Weapon = new(5, 0.2f, 1.5f),
        Attributes = [A.Light, A.Mechanical],
    };
    public static readonly UnitType Zealot = new(73, "Zealot", R.Army, 100)
    {
        Race = Race.Protoss,
        Minerals = 100,
        SupplyHalves = 4,
        BuildLoops = 608,
        Ability = 916,
        Requires = 62,
        Sight = 9,
        Speed = 2.25f,
        Armor = 1,
        Shield = 50,
        Radius = 0.5f,
        CargoSize = 2,
        Weapon = new(8, 0.1f, 1.2f, 2),
        Attributes = [A.Light, A.Biological],
    };
    public static readonly UnitType Stalker = new(74, "Stalker", R.Army, 80)
    {
        Race = Race.Protoss,
        Minerals = 125,
        Vespene = 50,
        SupplyHalves = 4,
        BuildLoops = 608,
        Ability = 917,
        Requires = 72,
        Sight = 10,
        Speed = 2.9531f,
        Armor = 1,
        Shield = 80,
        Radius = 0.625f,
        CargoSize = 2,
        Weapon = new(13, 6, 1.87f, HitsAir: true),
        Attributes = [A.Armored, A.Mechanical],
    };
    public static readonly UnitType Adept = new(311, "Adept", R.Army, 70)
    {
        Race = Race.Protoss,
        Minerals = 100,
        Vespene = 25,
        SupplyHalves = 4,
        BuildLoops = 672,
        Ability = 922,
        Requires = 72,
        Sight = 9,
        Speed = 2.5f,
        Armor = 1,
        Shield = 70,
        Radius = 0.5f,
        CargoSize = 2,
        Weapon = new(10, 4, 2.25f),
        Attributes = [A.Light, A.Biological],
    };
    public static readonly UnitType Immortal = new(83, "Immortal", R.Army, 200)
    {
        Race = Race.Protoss,
        Minerals = 250,
        Vespene = 100,
        SupplyHalves = 8,
        BuildLoops = 880,
        Ability = 979,
        Requires = 71,
        Sight = 9,
        Speed = 2.25f,
        Armor = 1,
        Shield = 100,
        Radius = 0.75f,
        CargoSize = 4,
        WritesPower = true,
        Weapon = new(20, 6, 1.6f),
        Attributes = [A.Armored, A.Mechanical],
    };
    public static readonly UnitType VoidRay = new(80, "VoidRay", R.Army, 150)
    {
        Race = Race.Protoss,
        Minerals = 250,
        Vespene = 150,
        SupplyHalves = 8,
        BuildLoops = 963,
        Ability = 950,
        Requires = 67,
        Sight = 10,
        Speed = 2.75f,
        Shield = 100,
        Radius = 1,
        IsFlying = true,
        Weapon = new(6, 6, 0.5f, HitsAir: true),
        Attributes = [A.Armored, A.Mechanical],
    };
    public static readonly UnitType Observer = new(82, "Observer", R.Army, 40)
    {
        Race = Race.Protoss,
        Minerals = 25,
        Vespene = 75,
        SupplyHalves = 2,
        BuildLoops = 400,
        Ability = 977,
        Requires = 71,
        Sight = 11,
        Speed = 2.0156f,
        Shield = 30,
        Radius = 0.5f,
        IsFlying = true,
        DetectRange = 11,
        WritesPower = true,
        Attributes = [A.Light, A.Mechanical],
    };

    // Protoss structures
    public static readonly UnitType Nexus = new(59, "Nexus", R.TownHall, 1000)
    {
        Race = Race.Protoss,
        Minerals = 400,
        SupplyProvided = 15,
        BuildLoops = 1600,
        Ability = 880,
        Sight = 11,
        Armor = 1,
        Shield = 1000,
        Energy = 200,
        Radius = 2.75f,
        IsStructure = true,
        WritesPower = true,
        Attributes = [A.Armored, A.Structure],
    };
    public static readonly UnitType Pylon = new(60, "Pylon", R.Supply, 200)
    {
        Race = Race.Protoss,
        Minerals = 100,
        SupplyProvided = 8,
        BuildLoops = 400,
        Ability = 881,
        Sight = 10,
        Armor = 1,
        Shield = 200,
        Radius = 1.125f,
        IsStructure = true,
        WritesPower = true,
        Attributes = [A.Armored, A.Structure],
    };
    public static readonly UnitType Assimilator = new(61, "Assimilator", R.GasBuilding, 300)
    {
        Race = Race.Protoss,
        Minerals = 75,
        BuildLoops = 480,
        Ability = 882,
        Sight = 9,
        Armor = 1,
        Shield = 300,
        Radius = 1.9375f,
        IsStructure = true,
        WritesPower = true,
        Attributes = [A.Armored, A.Structure],
    };
    public static readonly UnitType Gateway = new(62, "Gateway", R.Production, 500)
    {
        Race = Race.Protoss,
        Minerals = 150,
        BuildLoops = 1040,
        Ability = 883,
        Requires = 60,
        Sight = 9,
        Armor = 1,
        Shield = 500,
        Radius = 1.8125f,
        IsStructure = true,
        WritesPower = true,
        Attributes = [A.Armored, A.Structure],
    };
    public static readonly UnitType RoboticsFacility = Gateway with
    { Id = 71, Name = "RoboticsFacility", Health = 450, Shield = 450, Vespene = 100, Ability = 893, Requires = 72 };
    public static readonly UnitType Stargate = Gateway with
    { Id = 67, Name = "Stargate", Health = 600, Shield = 600, Vespene = 150, BuildLoops = 960, Ability = 889, Requires = 72 };
    public static readonly UnitType Forge = Gateway with
    { Id = 63, Name = "Forge", Role = R.Tech, Health = 400, Shield = 400, BuildLoops = 720, Ability = 884, Requires = 59 };
    public static readonly UnitType CyberneticsCore = Gateway with
    { Id = 72, Name = "CyberneticsCore", Role = R.Tech, Health = 550, Shield = 550, BuildLoops = 800, Ability = 894, Requires = 62 };
    public static readonly UnitType TwilightCouncil = Gateway with
    { Id = 65, Name = "TwilightCouncil", Role = R.Tech, Vespene = 100, BuildLoops = 800, Ability = 886, Requires = 72 };
    public static readonly UnitType PhotonCannon = new(66, "PhotonCannon", R.Defense, 150)
    {
        Race = Race.Protoss,
        Minerals = 150,
        BuildLoops = 640,
        Ability = 887,
        Requires = 63,
        Sight = 11,
        Armor = 1,
        Shield = 150,
        Radius = 1.125f,
        IsStructure = true,
        DetectRange = 11,
        WritesPower = true,
        Weapon = new(20, 7, 1.25f, HitsAir: true),
        Attributes = [A.Armored, A.Structure],
    };

    // Neutral
    public static readonly UnitType MineralField = new(341, "MineralField", R.Neutral, 10000)
    { Armor = 10, Radius = 1.125f, IsStructure = true, WritesPower = true, Attributes = [A.Structure] };
    public static readonly UnitType MineralField750 = MineralField with { Id = 483, Name = "MineralField750" };
    public static readonly UnitType VespeneGeyser = MineralField with { Id = 342, Name = "VespeneGeyser", Radius = 1.5f };
    public static readonly UnitType XelNagaTower = new(149, "XelNagaTower", R.Neutral, 400)
    { Sight = 22, Radius = 1.125f, IsStructure = true, Attributes = [A.Structure] };
    public static readonly UnitType Debris = new(365, "DestructibleDebris6x6", R.Neutral, 2000)
    { Armor = 3, Radius = 3.1875f, IsStructure = true, WritesPower = true, WritesFacing = false, Attributes = [A.Armored, A.Structure] };
    public static readonly UnitType Rock = new(638, "DestructibleRockEx14x4", R.Neutral, 2000)
    { Armor = 3, Radius = 2.25f, IsStructure = true, Attributes = [A.Armored, A.Structure] };
    public static readonly UnitType Plates = new(474, "UnbuildablePlatesDestructible", R.Neutral, 400)
    { Armor = 1, Radius = 1.125f, IsStructure = true, Attributes = [A.Armored, A.Structure] };

    /// <summary>All of them, by id.</summary>
    public static IReadOnlyList<UnitType> All { get; } = new[]
    {
        Larva, Egg, Drone, Overlord, TransportCocoon, OverlordTransport, OverlordCocoon, Overseer, Queen, Zergling, BanelingCocoon,
        Baneling, Roach, RavagerCocoon, Ravager, Hydralisk, Ultralisk, Hatchery, Lair, Hive, Extractor, SpawningPool, EvolutionChamber,
        RoachWarren, BanelingNest, HydraliskDen, InfestationPit, SpineCrawler, SporeCrawler, CreepTumorQueen, CreepTumor,
        CreepTumorBurrowed, Probe, Zealot, Stalker, Adept, Immortal, VoidRay, Observer, Nexus, Pylon, Assimilator, Gateway,
        RoboticsFacility, Stargate, Forge, CyberneticsCore, TwilightCouncil, PhotonCannon, MineralField, MineralField750, VespeneGeyser,
        XelNagaTower, Debris, Rock, Plates,
    }.OrderBy(type => type.Id).ToArray();
}
