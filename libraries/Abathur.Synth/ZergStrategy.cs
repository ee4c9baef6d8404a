namespace Abathur.Synth;

/// <summary>Player 1: larvae and eggs, queens, morphs.</summary>
internal sealed class ZergStrategy(World world, Player player, Building building, Production production, Commands commands)
    : Strategy(world, player, building, production, commands)
{
    private static readonly BuildStep[] BuildOrder =
    [
        new(
            UnitTypes.SpawningPool, 16,
            1), new(UnitTypes.Extractor, 17, 1), new(UnitTypes.RoachWarren, 27, 1), new(UnitTypes.Extractor, 28, 3),
        new(
            UnitTypes.EvolutionChamber, 32,
            1), new(UnitTypes.SpineCrawler, 34, 2), new(UnitTypes.BanelingNest, 36, 1), new(UnitTypes.SporeCrawler, 38, 2),
        new(UnitTypes.Extractor, 40, 5), new(UnitTypes.HydraliskDen, 40, 1), new(
            UnitTypes.EvolutionChamber, 44, 2), new(UnitTypes.SpineCrawler, 46, 5),
        new(
            UnitTypes.InfestationPit, 50,
            1), new(UnitTypes.Extractor, 52, 7), new(UnitTypes.SporeCrawler, 56, 6), new(UnitTypes.Extractor, 62, 9),
    ];

    protected override BuildStep[] Order => BuildOrder;

    protected override UnitType Hall => UnitTypes.Hatchery;

    protected override void Produce()
    {
        var pending = Player.SupplyPending;
        foreach (var site in Player.Bases)
        {
            if (site.Hall is not { IsFinished: true } hall) continue;
            if (hall.Task == UnitTask.Idle) UseHall(hall);
            while (site.Larvae.Count > 0)
            {
                if (Choose(pending) is not { } type || !Affords(type, type == UnitTypes.Zergling ? 2 : 1)) break;
                if (type == UnitTypes.Overlord) pending += 8;
                var larva = site.Larvae[^1];
                Production.StartEgg(larva, type);
                Commands.Order(larva, larva.Order);
            }
        }

        if (World.Random.Chance(120)) Morph();
    }

    private UnitType? Choose(int pending)
    {
        var left = Player.SupplyLeftHalves;
        var room = (4 + Player.Bases.Count * 4) * 2;
        if (left + pending * 2 < room && Player.SupplyCap + pending < Player.SupplyLimit) return UnitTypes.Overlord;
        if (left < 4) return null;
        var workers = Player.Workers + Player.WorkersPending;
        var army = Player.ArmyHalves;
        if (workers < WantedWorkers && (army > workers || World.Random.Chance(workers < 30 ? 900 : 600))) return UnitTypes.Drone;
        var roll = World.Random.Below(100);
        if (roll < 8 && left >= 12 && Allows(UnitTypes.Ultralisk)) return UnitTypes.Ultralisk;
        if (roll < 40 && Allows(UnitTypes.Hydralisk)) return UnitTypes.Hydralisk;
        if (roll < 64 && Allows(UnitTypes.Roach)) return UnitTypes.Roach;
        return Allows(UnitTypes.Zergling) ? UnitTypes.Zergling : UnitTypes.Drone;
    }

    private void UseHall(SimUnit hall)
    {
        UnitType? morph = null;
        if (Player.Workers > 34 && Player.Count(UnitTypes.Lair) + Player.Count(UnitTypes.Hive) == 0 && Allows(UnitTypes.Lair))
            morph = UnitTypes.Lair;
        else if (hall.Type == UnitTypes.Lair && Player.Count(UnitTypes.Hive) == 0 && Allows(UnitTypes.Hive)) morph = UnitTypes.Hive;
        if (morph is not null && Player.Minerals >= 250 && Player.Vespene >= 150) Production.StartMorph(hall, morph, null);
        else if (Player.Count(UnitTypes.Queen) < Player.Bases.Count + 3
            && Allows(UnitTypes.Queen)
            && Affords(UnitTypes.Queen)
            && Player.SupplyLeftHalves >= 4)
            Production.StartTraining(hall, UnitTypes.Queen);
        else return;
        Commands.Order(hall, hall.Order);
    }

    private void Morph()
    {
        foreach (var (from, to, cocoon, limit) in Morphs)
        {
            if (Player.Count(to) >= limit || !Allows(to) || !Affords(to)) continue;
            var unit = World.Units.Find(unit => unit.Owner == Player.Id
                && unit.Type == from
                && unit.IsAlive
                && unit is { Task: UnitTask.Idle, Target: null, Wave: 0 });
            if (unit is null) continue;
            Production.StartMorph(unit, to, cocoon);
            Commands.Order(unit, unit.Order);
            return;
        }
    }

    private static readonly (UnitType From, UnitType To, UnitType Cocoon, int Limit)[] Morphs =
    [
        (UnitTypes.Overlord, UnitTypes.Overseer, UnitTypes.OverlordCocoon, 3),
        (UnitTypes.Overlord, UnitTypes.OverlordTransport, UnitTypes.TransportCocoon, 2),
        (UnitTypes.Roach, UnitTypes.Ravager, UnitTypes.RavagerCocoon, 8),
        (UnitTypes.Zergling, UnitTypes.Baneling, UnitTypes.BanelingCocoon, 10),
    ];
}
