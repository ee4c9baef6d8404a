using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>A spell's area on the map; lengths in 1/4096 cell.</summary>
internal sealed record SpellEffect(uint Id, int X, int Y, int Owner, float Radius, int EndLoop);

/// <summary>The state of the match: creates and removes units.</summary>
internal sealed class World
{
    public const int NeutralOwner = 16;

    private readonly Queue<int> _freeIndexes = new();
    private readonly List<int> _generations = [];
    private int _snapshots = 0x600;

    public World(SynthOptions options)
    {
        Options = options;
        Random = new SynthRandom(options.Seed);
        Map = new MapLayout(options);
        Loop = (int)options.FirstGameLoop;
    }

    public SynthOptions Options { get; }
    public SynthRandom Random { get; }
    public MapLayout Map { get; }
    public int Loop { get; set; }

    /// <summary>The two players, by id - 1.</summary>
    public Player[] Players { get; } = [new Player(1, Race.Zerg), new Player(2, Race.Protoss)];

    /// <summary>All living units, in the order of the observation: a unit keeps its position, a new one gets a random one.</summary>
    public List<SimUnit> Units { get; } = [];

    /// <summary>Dead structures of which player 1 still has a snapshot.</summary>
    public List<SimUnit> Ghosts { get; } = [];

    /// <summary>Tags of the dead that player 1 owned or saw, since the last frame.</summary>
    public List<ulong> Deaths { get; } = [];

    /// <summary>Alerts for player 1 since the last frame.</summary>
    public List<Alert> Alerts { get; } = [];

    public List<SpellEffect> Effects { get; } = [];

    public Player PlayerOf(SimUnit unit) => Players[unit.Owner - 1];

    public Player EnemyOf(Player player) => Players[2 - player.Id];

    public SimUnit Spawn(UnitType type, int owner, int x, int y, bool finished = true)
    {
        var unit = new SimUnit(NextTag(), type, owner) { X = x, Y = y, Health = type.HealthFixed, Shield = type.ShieldFixed };
        unit.Facing = type.IsStructure ? (type.Role == UnitRole.Neutral ? 19302 : 16078) : Random.Below(Fixed.FullTurn);
        if (type.Energy > 0) unit.Energy = 50 * Fixed.One;
        if (!finished)
        {
            unit.BuildTotal = type.BuildLoops * 100 / Options.Intensity;
            unit.Health = type.HealthFixed / 10;
            unit.Shield = type.ShieldFixed / 10;
        }

        UpdateHeight(unit);
        Units.Insert(Random.Below(Units.Count + 1), unit);
        Account(unit, 1);
        return unit;
    }

    /// <summary>Marks a unit as dead; it is removed from <see cref="Units"/> at the end of the game loop.</summary>
    /// <param name="unit">The unit.</param>
    /// <param name="killed">False if it has become another unit.</param>
    public void Remove(SimUnit unit, bool killed)
    {
        if (!unit.IsAlive) return;
        Account(unit, -1);
        unit.IsAlive = false;
        if (unit.Owner == 1 || unit.IsSeen) Deaths.Add(unit.Tag);
        _freeIndexes.Enqueue((int)((unit.Tag >> 18) & 0x3FFF));
        if (unit.Type.Role == UnitRole.Worker)
        {
            if (unit.Product?.Role == UnitRole.TownHall) unit.Site!.IsClaimed = false;
            Economy.Quit(unit);
        }

        foreach (var passenger in unit.Passengers ?? []) Remove(passenger, killed);
        if (unit.Site is { } site) LeaveSite(unit, site);
        if (killed) ScoreLoss(unit);
    }

    /// <summary>Changes the type of a unit, which keeps its tag and its share of hit points.</summary>
    public void ChangeType(SimUnit unit, UnitType type)
    {
        Account(unit, -1);
        unit.Health = (int)((long)unit.Health * type.Health / unit.Type.Health);
        unit.Type = type;
        if (type.Energy > 0 && unit.Energy == 0) unit.Energy = 50 * Fixed.One;
        if (type.Energy == 0) unit.Energy = 0;
        Account(unit, 1);
        UpdateHeight(unit);
    }

    public void Finish(SimUnit unit)
    {
        Account(unit, -1);
        unit.BuildTotal = 0;
        unit.BuildLoops = 0;
        Account(unit, 1);
    }

    public void UpdateHeight(SimUnit unit) => unit.Z = unit.Type.IsFlying ? Map.AirZ(unit.X, unit.Y) : Map.GroundZ(unit.X, unit.Y);

    /// <summary>Removes dead units; those of which player 1 has a snapshot and did not see the death stay as
    /// <see cref="Ghosts"/>.</summary>
    public void Sweep()
    {
        foreach (var unit in Units)
        {
            if (!unit.IsAlive && unit.HasSnapshot) Ghosts.Add(unit);
        }

        Units.RemoveAll(static unit => !unit.IsAlive);
    }

    public ulong NextSnapshotTag(SimUnit unit)
    {
        if (unit.SnapshotTag != 0) return unit.SnapshotTag + 1;
        return (1UL << 33) | ((ulong)_snapshots++ << 16) | 1;
    }

    public void Alert(Player player, Alert alert)
    {
        if (player.Id == 1 && !Alerts.Contains(alert)) Alerts.Add(alert);
    }

    private ulong NextTag()
    {
        // An index is reused only after some time, with the next generation in the low bits.
        int index;
        if (_freeIndexes.Count > 64)
        {
            index = _freeIndexes.Dequeue();
            _generations[index]++;
        }
        else
        {
            index = _generations.Count;
            _generations.Add(1);
        }

        return (1UL << 32) | ((ulong)index << 18) | (uint)_generations[index];
    }

    private static void LeaveSite(SimUnit unit, BaseSite site)
    {
        if (site.Hall == unit) site.Hall = null;
        site.Larvae.Remove(unit);
        site.Minerals.Remove(unit);
        for (var i = 0; i < site.GasBuildings.Length; i++)
        {
            if (site.GasBuildings[i] == unit) site.GasBuildings[i] = null;
        }
    }

    private void Account(SimUnit unit, int sign)
    {
        if (unit.Owner == NeutralOwner) return;
        var player = PlayerOf(unit);
        var type = unit.Type;
        player.Add(type, sign);
        player.SupplyUsedHalves += sign * type.SupplyHalves;
        if (unit.IsFinished) player.SupplyCap += sign * type.SupplyProvided;
        else player.SupplyPending += sign * type.SupplyProvided;
        if (type.Role == UnitRole.Worker) player.Workers += sign;
        if (type.Role == UnitRole.Army)
        {
            player.ArmyHalves += sign * type.SupplyHalves;
            player.ArmyCount += sign;
        }

        if (type.Role == UnitRole.TownHall && unit.Site is { } site)
        {
            player.Bases.Remove(site);
            if (sign > 0) player.Bases.Add(site);
        }

        var value = sign * (type.Minerals + type.Vespene);
        if (type.IsStructure) player.Score.ValueStructures += value;
        else player.Score.ValueUnits += value;
        player.Score.UsedMinerals.Add(type.Role, sign * type.Minerals);
        player.Score.UsedVespene.Add(type.Role, sign * type.Vespene);
        if (sign > 0 && unit.Health == type.HealthFixed)
        {
            player.Score.TotalUsedMinerals.Add(type.Role, type.Minerals);
            player.Score.TotalUsedVespene.Add(type.Role, type.Vespene);
        }
    }

    private void ScoreLoss(SimUnit unit)
    {
        if (unit.Owner == NeutralOwner) return;
        var type = unit.Type;
        var owner = PlayerOf(unit);
        var enemy = EnemyOf(owner);
        owner.Score.LostMinerals.Add(type.Role, type.Minerals);
        owner.Score.LostVespene.Add(type.Role, type.Vespene);
        enemy.Score.KilledMinerals.Add(type.Role, type.Minerals);
        enemy.Score.KilledVespene.Add(type.Role, type.Vespene);
        if (type.IsStructure) enemy.Score.KilledValueStructures += type.Minerals + type.Vespene;
        else enemy.Score.KilledValueUnits += type.Minerals + type.Vespene;
    }
}
