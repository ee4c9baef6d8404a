namespace Abathur.Synth;

/// <summary>A line of a build order: build up to a number of buildings once there is a number of workers.</summary>
internal readonly record struct BuildStep(UnitType Type, int Workers, int Count);

/// <summary>Shared by the computer players of both races: build order, expansion, research.</summary>
internal abstract class Strategy(World world, Player player, Building building, Production production, Commands commands)
{
    private const int MaxBases = 6;

    private readonly HashSet<uint> _standing = [];
    private readonly List<SimUnit> _idleTech = [];

    protected World World { get; } = world;
    protected Player Player { get; } = player;
    protected Production Production { get; } = production;
    protected Commands Commands { get; } = commands;

    /// <summary>Workers wanted for the number of bases.</summary>
    protected int WantedWorkers => Math.Min(Player.Bases.Count * 20, World.Options.Start == MatchStart.Opening ? 66 : 50);

    /// <summary>Minerals kept for a town hall or a building that is due.</summary>
    protected int Saved { get; private set; }

    protected abstract BuildStep[] Order { get; }

    protected abstract UnitType Hall { get; }

    /// <summary>Decides again; called every 8 game loops.</summary>
    public void Step()
    {
        Survey();
        Saved = 0;
        Expand();
        FollowOrder();
        Study();
        Produce();
    }

    /// <summary>Spends on units.</summary>
    protected abstract void Produce();

    /// <summary>Whether a finished building of the type that <paramref name="type"/> needs stands.</summary>
    protected bool Allows(UnitType type) => type.Requires == 0 || _standing.Contains(type.Requires);

    /// <summary>Whether units may be bought with what is not saved.</summary>
    protected bool Affords(UnitType type, int times = 1) => Player.CanPay(type, times) && Player.Minerals - type.Minerals * times >= Saved;

    private void Survey()
    {
        _standing.Clear();
        _idleTech.Clear();
        foreach (var unit in World.Units)
        {
            if (unit.Owner != Player.Id || !unit.Type.IsStructure || !unit.IsFinished) continue;
            _standing.Add(unit.Type.Id);
            // A lair also counts as a hatchery, a hive as both.
            if (unit.Type == UnitTypes.Lair || unit.Type == UnitTypes.Hive) _standing.Add(UnitTypes.Hatchery.Id);
            if (unit.Type == UnitTypes.Hive) _standing.Add(UnitTypes.Lair.Id);
            if (unit.Type.Role == UnitRole.Tech && unit.Task == UnitTask.Idle) _idleTech.Add(unit);
        }
    }

    private void Expand()
    {
        if (Player.Workers + Player.WorkersPending < Player.Bases.Count * 15 || Player.Bases.Count >= MaxBases) return;
        var claimed = World.Units.Exists(unit => unit.Owner == Player.Id && unit.Task == UnitTask.GoBuild && unit.Product == Hall);
        if (!claimed && Player.Minerals >= Hall.Minerals - 50) claimed = building.Send(Player, Hall);
        Saved += Hall.Minerals;
    }

    private void FollowOrder()
    {
        foreach (var step in Order)
        {
            if (Player.Workers < step.Workers || Player.Count(step.Type) + OnTheWay(step.Type) >= step.Count || !Allows(step.Type))
                continue;
            Saved += step.Type.Minerals;
            if (!Player.CanPay(step.Type)) return;
            building.Send(Player, step.Type);
            return;
        }
    }

    private int OnTheWay(UnitType type) =>
        World.Units.Count(unit => unit.Owner == Player.Id && unit.Task == UnitTask.GoBuild && unit.Product == type);

    private void Study()
    {
        foreach (var upgrade in Upgrades.Of(Player.Race))
        {
            if (Player.Upgrades.Contains(upgrade.Id) || World.Units.Exists(unit => unit.Owner == Player.Id && unit.Research == upgrade.Id))
                continue;
            if (Player.Minerals < upgrade.Cost + 100 || Player.Vespene < upgrade.Cost) continue;
            if (_idleTech.Find(unit => unit.Type == upgrade.Building && unit.Task == UnitTask.Idle) is not { } place) continue;
            Production.StartResearch(place, upgrade.Id, upgrade.Ability, upgrade.Cost, upgrade.Loops);
            Commands.Order(place, place.Order);
            return;
        }
    }
}
