using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>One game loop of the whole match.</summary>
internal sealed class Simulation
{
    private const int WarmUpLoops = 64;

    private readonly Movement _movement;
    private readonly Economy _economy;
    private readonly Production _production;
    private readonly Building _building;
    private readonly Combat _combat;
    private readonly Hatcheries _hatcheries;
    private readonly Strategy[] _strategies;

    public Simulation(SynthOptions options)
    {
        World = new World(options);
        Commands = new Commands(World);
        Creep = new Creep(World);
        Vision = new Vision(World);
        Armies = new Armies(World, Commands);
        _movement = new Movement(World);
        _economy = new Economy(World, _movement);
        _production = new Production(World);
        _building = new Building(World, _movement, _production, Commands);
        _combat = new Combat(World, _movement);
        _hatcheries = new Hatcheries(World, _movement, _production, Creep);
        _strategies =
        [
            new ZergStrategy(World, World.Players[0], _building, _production, Commands),
            new ProtossStrategy(World, World.Players[1], _building, _production, Commands),
        ];
        Spectator = new Spectator(World, Commands);
        new StartingState(this, _economy, _hatcheries, _building).Set();
        // A developed match is already in motion at its first frame.
        var warmUp = options.Start == MatchStart.MidGame ? WarmUpLoops : 0;
        World.Loop -= warmUp;
        for (var i = 0; i < warmUp; i++) Step();
        World.Deaths.Clear();
        World.Alerts.Clear();
        Commands.Clear();
        Spectator.Begin();
        Vision.Step();
    }

    public World World { get; }
    public Commands Commands { get; }
    public Creep Creep { get; }
    public Vision Vision { get; }
    public Armies Armies { get; }
    public Spectator Spectator { get; }

    public void Step()
    {
        World.Loop++;
        _combat.Index();
        // Units born in this loop are inserted anywhere in the list; a copy keeps this loop's order.
        var units = World.Units.ToArray();
        foreach (var unit in units)
        {
            if (unit.IsAlive && unit.Owner != World.NeutralOwner) StepUnit(unit);
        }

        _combat.EndEffects();
        foreach (var player in World.Players) StepPlayer(player);
        Creep.Step(World);
        Spectator.Step();
        World.Sweep();
        Vision.Step();
    }

    private void StepPlayer(Player player)
    {
        if (World.Loop % 8 == player.Id) _strategies[player.Id - 1].Step();
        if (World.Loop % 16 == player.Id * 5) Armies.Step(player);
        if (World.Loop % 56 == player.Id) CollectionRate.Update(player, World.Loop);
    }

    private void StepUnit(SimUnit unit)
    {
        _combat.Recover(unit);
        if (!unit.IsFinished)
        {
            _production.Build(unit);
            return;
        }

        if (unit.Task == UnitTask.Idle) CountIdle(unit);
        if (unit.IsInside && unit.Type.Role != UnitRole.Worker) return;
        switch (unit.Task)
        {
            case UnitTask.Produce or UnitTask.Morph:
                Produce(unit);
                break;
            case UnitTask.GoBuild:
                _building.Step(unit);
                return;
        }

        switch (unit.Type.Role)
        {
            case UnitRole.Worker:
                _economy.Step(unit);
                break;
            case UnitRole.TownHall:
                if (unit.Type.Race == Race.Zerg) _hatcheries.StepHall(unit);
                break;
            case UnitRole.Larva:
                _hatcheries.StepLarva(unit);
                break;
            case UnitRole.CreepTumor:
                _hatcheries.StepTumor(unit);
                break;
            case UnitRole.Queen:
                if (!_combat.Fight(unit)) _hatcheries.StepQueen(unit);
                break;
            case UnitRole.Army or UnitRole.Defense or UnitRole.Supply:
                StepFighter(unit);
                break;
        }
    }

    private void CountIdle(SimUnit unit)
    {
        var score = World.PlayerOf(unit).Score;
        if (unit.Type.Role == UnitRole.Worker) score.IdleWorkerTime++;
        if (unit.Type.Role is UnitRole.Production or UnitRole.Larva) score.IdleProductionTime++;
    }

    private void StepFighter(SimUnit unit)
    {
        if (unit.Type.Weapon is not null && unit.Task != UnitTask.Move && _combat.Fight(unit)) return;
        if (unit.Type.Role == UnitRole.Supply && unit.Task == UnitTask.Idle && unit.Type.SpeedFixed > 0 && World.Random.Chance(1))
            Welcome(unit);
        if (unit.Task is not (UnitTask.Move or UnitTask.AttackMove)) return;
        if (_movement.Towards(unit, unit.Order.X, unit.Order.Y, Fixed.One / 2)) unit.ClearOrder();
    }

    private void Produce(SimUnit unit)
    {
        if (_production.Advance(unit) is not { } born) return;
        foreach (var unitBorn in born) Welcome(unitBorn);
    }

    // Overlords drift away from where they are; all other units wait for the strategy or the rally.
    private void Welcome(SimUnit unit)
    {
        if (unit.Type.Role != UnitRole.Supply || unit.Type.IsStructure) return;
        unit.Task = UnitTask.Move;
        var x = MapLayout.Clamp(unit.X + World.Random.Between(-30, 30) * Fixed.One, World.Map.Width);
        var y = MapLayout.Clamp(unit.Y + World.Random.Between(-30, 30) * Fixed.One, World.Map.Height);
        unit.Order = SimOrder.At(16, x, y);
    }
}
