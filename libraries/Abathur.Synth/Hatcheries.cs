namespace Abathur.Synth;

/// <summary>Larvae, queens' injections and creep tumors.</summary>
internal sealed class Hatcheries(World world, Movement movement, Production production, Creep creep)
{
    private const int LarvaLoops = 176;
    private const int InjectLoops = 464;
    private const uint InjectBuff = 11;
    private const uint InjectAbility = 251;
    private const int SpellEnergy = 25 * Fixed.One;
    private const int MaxTumors = 40;

    /// <summary>One game loop of a finished hall.</summary>
    public void StepHall(SimUnit hall)
    {
        var site = hall.Site!;
        if (hall is { Buff: InjectBuff, BuffRemain: 1 })
        {
            for (var i = 0; i < 3; i++) SpawnLarva(site);
        }

        if (site.Larvae.Count >= 3) return;
        if (++site.LarvaTimer * world.Options.Intensity / 100 < LarvaLoops) return;
        site.LarvaTimer = 0;
        SpawnLarva(site);
    }

    /// <summary>Larvae crawl a little now and then.</summary>
    public void StepLarva(SimUnit larva)
    {
        if (larva.Timer > 0)
        {
            larva.Timer--;
            var site = larva.Site!;
            movement.Towards(larva, site.X + larva.BuffMax * Fixed.One / 4, site.Y - 4 * Fixed.One, Fixed.One / 4);
        }
        else if (world.Random.Chance(12))
        {
            larva.Timer = world.Random.Between(8, 30);
            larva.BuffMax = world.Random.Between(-12, 12);
        }
    }

    /// <summary>One game loop of a queen without a target.</summary>
    public void StepQueen(SimUnit queen)
    {
        switch (queen.Task)
        {
            case UnitTask.Idle when queen.Energy >= SpellEnergy && (world.Loop + (int)(queen.Tag >> 18)) % 16 == 0:
                Cast(queen);
                break;
            case UnitTask.GoInject:
                Inject(queen);
                break;
            case UnitTask.GoPlaceTumor when movement.Towards(queen, queen.Order.X, queen.Order.Y, Fixed.One / 2):
                production.StartBuilding(world.PlayerOf(queen), UnitTypes.CreepTumorQueen, queen.Order.X, queen.Order.Y);
                queen.Energy -= SpellEnergy;
                queen.ClearOrder();
                break;
        }
    }

    /// <summary>A burrowed tumor makes one more, once.</summary>
    public void StepTumor(SimUnit tumor)
    {
        if (tumor.Timer <= 0 || --tumor.Timer > 0) return;
        var player = world.PlayerOf(tumor);
        if (player.Count(UnitTypes.CreepTumorBurrowed) >= MaxTumors) return;
        if (SpotNear(tumor.X, tumor.Y, 9) is { } spot) production.StartBuilding(player, UnitTypes.CreepTumor, spot.X, spot.Y);
    }

    public void SpawnLarva(BaseSite site)
    {
        if (site.Larvae.Count >= 19) return;
        var larva = world.Spawn(
            UnitTypes.Larva, site.Hall!.Owner, site.X + world.Random.Between(-8000, 8000),
            site.Y - 14500 + world.Random.Between(-2000, 2000));
        larva.Site = site;
        site.Larvae.Add(larva);
    }

    private void Cast(SimUnit queen)
    {
        SimUnit? hall = null;
        var best = int.MaxValue;
        foreach (var site in world.PlayerOf(queen).Bases)
        {
            if (site.Hall is not { IsFinished: true, Buff: 0 } other) continue;
            var distance = Fixed.Distance(other.X - queen.X, other.Y - queen.Y);
            if (distance >= best || distance > 20 * Fixed.One) continue;
            hall = other;
            best = distance;
        }

        if (hall is not null && world.Random.Chance(500))
        {
            queen.Task = UnitTask.GoInject;
            queen.Subject = hall;
            queen.Order = SimOrder.On(InjectAbility, hall);
        }
        else if (world.PlayerOf(queen).Count(UnitTypes.CreepTumorBurrowed) < MaxTumors && SpotNear(queen.X, queen.Y, 10) is { } spot)
        {
            queen.Task = UnitTask.GoPlaceTumor;
            queen.Order = SimOrder.At(UnitTypes.CreepTumorQueen.Ability, spot.X, spot.Y);
        }
    }

    private void Inject(SimUnit queen)
    {
        var hall = queen.Subject!;
        if (hall.IsAlive && !movement.Towards(queen, hall.X, hall.Y, hall.Type.RadiusFixed + queen.Type.RadiusFixed)) return;
        if (hall is { IsAlive: true, Buff: 0 })
        {
            hall.Buff = InjectBuff;
            hall.BuffMax = InjectLoops;
            hall.BuffRemain = InjectLoops;
            queen.Energy -= SpellEnergy;
        }

        queen.Subject = null;
        queen.ClearOrder();
    }

    // A creep cell near the edge of the creep, with no other tumor within six cells.
    private (int X, int Y)? SpotNear(int x, int y, int radius)
    {
        for (var tries = 0; tries < 12; tries++)
        {
            var angle = world.Random.Below(Fixed.FullTurn);
            var px = MapLayout.Clamp(x + (int)((long)radius * Fixed.Cos(angle) >> 4), world.Map.Width) & ~(Fixed.One - 1);
            var py = MapLayout.Clamp(y + (int)((long)radius * Fixed.Sin(angle) >> 4), world.Map.Height) & ~(Fixed.One - 1);
            if (!creep.IsAt(px >> 12, py >> 12)) continue;
            var isFree = !world.Units.Exists(unit =>
                unit.Type.Role is UnitRole.CreepTumor or UnitRole.TownHall or UnitRole.Neutral
                && Fixed.Distance(unit.X - px, unit.Y - py) < 6 * Fixed.One);
            if (isFree) return (px, py);
        }

        return null;
    }
}
