namespace Abathur.Synth;

/// <summary>Player 2: pylons, gateways, robotics facilities, stargates.</summary>
internal sealed class ProtossStrategy(World world, Player player, Building building, Production production, Commands commands)
    : Strategy(world, player, building, production, commands)
{
    private static readonly BuildStep[] BuildOrder =
    [
        new(UnitTypes.Pylon, 13, 1), new(UnitTypes.Gateway, 15, 1), new(UnitTypes.Assimilator, 16, 2), new(
            UnitTypes.CyberneticsCore, 19, 1),
        new(UnitTypes.Gateway, 24, 3), new(UnitTypes.Forge, 28, 1), new(
            UnitTypes.RoboticsFacility, 30, 1), new(UnitTypes.PhotonCannon, 32, 2),
        new(UnitTypes.Assimilator, 34, 4), new(
            UnitTypes.TwilightCouncil, 36, 1), new(UnitTypes.Gateway, 38, 6), new(UnitTypes.Stargate, 42, 1),
        new(
            UnitTypes.RoboticsFacility, 46,
            2), new(UnitTypes.Gateway, 50, 10), new(UnitTypes.PhotonCannon, 50, 6), new(UnitTypes.Stargate, 54, 2),
        new(UnitTypes.Assimilator, 56, 7), new(UnitTypes.Gateway, 60, 13),
    ];

    private readonly Building _building = building;

    protected override BuildStep[] Order => BuildOrder;

    protected override UnitType Hall => UnitTypes.Nexus;

    protected override void Produce()
    {
        var left = Player.SupplyLeftHalves;
        if (left + Player.SupplyPending * 2 < (4 + Player.Bases.Count * 4) * 2
            && Player.SupplyCap + Player.SupplyPending < Player.SupplyLimit
            && Player.CanPay(UnitTypes.Pylon) && !World.Units.Exists(unit => unit.Owner == Player.Id && unit.Product == UnitTypes.Pylon))
            _building.Send(Player, UnitTypes.Pylon);

        for (var i = 0; i < World.Units.Count; i++)
        {
            var unit = World.Units[i];
            if (unit.Owner != Player.Id || !unit.IsFinished || unit.Task != UnitTask.Idle || !unit.Type.IsStructure) continue;
            if (Choose(unit.Type) is not { } type || Player.SupplyLeftHalves < type.SupplyHalves || !Affords(type) || !Allows(type))
                continue;
            Production.StartTraining(unit, type);
            Commands.Order(unit, unit.Order);
        }
    }

    private UnitType? Choose(UnitType building)
    {
        if (building == UnitTypes.Nexus) return Player.Workers + Player.WorkersPending < WantedWorkers ? UnitTypes.Probe : null;
        if (building == UnitTypes.RoboticsFacility) return Player.Count(UnitTypes.Observer) < 2 ? UnitTypes.Observer : UnitTypes.Immortal;
        if (building == UnitTypes.Stargate) return UnitTypes.VoidRay;
        if (building != UnitTypes.Gateway) return null;
        var roll = World.Random.Below(10);
        return roll < 5 ? UnitTypes.Zealot : roll < 8 ? UnitTypes.Stalker : UnitTypes.Adept;
    }
}
