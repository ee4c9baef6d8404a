namespace Abathur.Synth;

/// <summary>What a unit is doing.</summary>
internal enum UnitTask
{
    Idle,
    Move,
    AttackMove,
    GoGather,
    Gather,
    GoReturn,
    GoBuild,
    GoInject,
    GoPlaceTumor,
    Produce,
    Morph,
}

/// <summary>An order as the observation shows it.</summary>
/// <param name="Ability">Ability id.</param>
/// <param name="Target">Unit it aims at, or null.</param>
/// <param name="X">Point it aims at, in 1/4096 cell; used when <paramref name="HasPoint"/>.</param>
/// <param name="Y">The same for y.</param>
/// <param name="HasPoint">Whether it aims at a point.</param>
/// <param name="Total">Game loops that the production takes; 0 for an order without progress.</param>
internal readonly record struct SimOrder(uint Ability, SimUnit? Target, int X, int Y, bool HasPoint, int Total)
{
    public static SimOrder At(uint ability, int x, int y) => new(ability, null, x, y, true, 0);

    public static SimOrder On(uint ability, SimUnit target) => new(ability, target, 0, 0, false, 0);

    public static SimOrder Making(uint ability, int total) => new(ability, null, 0, 0, false, total);
}

/// <summary>A unit of a player, or a neutral unit. Lengths, hit points and game loops in 1/4096, unless noted otherwise.</summary>
internal sealed class SimUnit(ulong tag, UnitType type, int owner)
{
    public ulong Tag { get; } = tag;
    public UnitType Type { get; set; } = type;

    /// <summary>Player id: 1, 2, or 16 for neutral.</summary>
    public int Owner { get; } = owner;

    public int X { get; set; }
    public int Y { get; set; }

    /// <summary>In 1/65536 cell.</summary>
    public int Z { get; set; }

    /// <summary>In 1/4096 radian.</summary>
    public int Facing { get; set; }

    public int Health { get; set; }
    public int Shield { get; set; }
    public int Energy { get; set; }
    public int Cooldown { get; set; }

    /// <summary>Whole game loops built so far, of <see cref="BuildTotal"/>; a finished unit has 0 of 0.</summary>
    public int BuildLoops { get; set; }
    public int BuildTotal { get; set; }

    public bool IsFinished => BuildTotal == 0;

    /// <summary>False once it has died.</summary>
    public bool IsAlive { get; set; } = true;

    /// <summary>In a geyser or a transport: not in the observation.</summary>
    public bool IsInside { get; set; }

    public bool IsSelected { get; set; }
    public bool HasGatheredGas { get; set; }

    public UnitTask Task { get; set; }
    public SimOrder Order { get; set; }

    public bool HasOrder => Order.Ability != 0;

    /// <summary>Whole game loops until the task is done.</summary>
    public int Timer { get; set; }

    /// <summary>What is being made, or what it morphs into.</summary>
    public UnitType? Product { get; set; }

    /// <summary>Upgrade being researched; 0 for none.</summary>
    public int Research { get; set; }

    public SimUnit? Target { get; set; }

    /// <summary>Mineral field, geyser building, hatchery or overlord that the task is about.</summary>
    public SimUnit? Subject { get; set; }

    public BaseSite? Site { get; set; }

    /// <summary>Number of the attack wave; 0 at home.</summary>
    public int Wave { get; set; }

    /// <summary>Buff for carried resources; 0 for none.</summary>
    public uint Carries { get; set; }

    /// <summary>Timed buff; 0 for none.</summary>
    public uint Buff { get; set; }
    public int BuffRemain { get; set; }
    public int BuffMax { get; set; }

    /// <summary>Minerals or vespene left.</summary>
    public int Contents { get; set; }

    /// <summary>Workers on a mineral field, geyser building or town hall.</summary>
    public int Harvesters { get; set; }

    /// <summary>Whether a worker mines it now.</summary>
    public bool IsBusy { get; set; }

    /// <summary>Game loop in which it last hit or was hit.</summary>
    public int LastFight { get; set; } = -1000;

    public List<SimUnit>? Passengers { get; set; }

    /// <summary>Whether player 1 sees it in this frame.</summary>
    public bool IsSeen { get; set; }

    /// <summary>Whether player 1 has a snapshot of it.</summary>
    public bool HasSnapshot { get; set; }
    public ulong SnapshotTag { get; set; }

    public void ClearOrder()
    {
        Order = default;
        Task = UnitTask.Idle;
    }
}
