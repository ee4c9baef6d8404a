using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>A weapon, in the units of <c>UnitTypeData</c>: hit points, cells, seconds of "normal" speed (16 game loops).</summary>
internal sealed record WeaponType(int Damage, float Range, float Seconds, int Attacks = 1, bool HitsAir = false, bool HitsGround = true)
{
    public int RangeFixed { get; } = Fixed.Of(Range);

    /// <summary>Game loops between two attacks, in 1/4096.</summary>
    public int CooldownFixed { get; } = Fixed.Of(Seconds * 16);
}

/// <summary>The role of a unit in the simulation, and the category of its cost in the score.</summary>
internal enum UnitRole
{
    Neutral,
    Worker,
    TownHall,
    Supply,
    GasBuilding,
    Tech,
    Production,
    Defense,
    Army,
    Larva,
    Egg,
    Queen,
    CreepTumor,
}

/// <summary>A unit type with the figures of the game's own data.</summary>
internal sealed record UnitType(uint Id, string Name, UnitRole Role, int Health)
{
    public Race Race { get; init; } = Race.NoRace;
    public int Minerals { get; init; }
    public int Vespene { get; init; }

    /// <summary>Supply needed, in halves.</summary>
    public int SupplyHalves { get; init; }

    public int SupplyProvided { get; init; }

    /// <summary>Game loops to make one.</summary>
    public int BuildLoops { get; init; }

    /// <summary>Ability that makes one; 0 for none.</summary>
    public uint Ability { get; init; }

    /// <summary>Type of the building that must stand; 0 for none.</summary>
    public uint Requires { get; init; }

    public int Sight { get; init; }

    /// <summary>Cells per second of "normal" speed, as in <c>UnitTypeData.movement_speed</c>.</summary>
    public float Speed { get; init; }

    public int Armor { get; init; }
    public int Shield { get; init; }
    public int Energy { get; init; }
    public float Radius { get; init; } = 0.375f;
    public bool IsFlying { get; init; }
    public bool IsStructure { get; init; }
    public WeaponType? Weapon { get; init; }

    /// <summary>Whether the game writes is_powered for this type.</summary>
    public bool WritesPower { get; init; }

    /// <summary>Whether the game writes the facing of a visible one; it omits it for some debris.</summary>
    public bool WritesFacing { get; init; } = true;

    public float DetectRange { get; init; }
    public int CargoMax { get; init; }
    public int CargoSize { get; init; }
    public SC2APIProtocol.Attribute[] Attributes { get; init; } = [];

    /// <summary>Cells of creep around one that is finished; 0 for none.</summary>
    public int CreepRadius { get; init; }

    public bool IsBurrowed { get; init; }

    /// <summary>Length of one game loop's way, in 1/4096 cell.</summary>
    public int SpeedFixed => (int)(Speed * 256);

    public int HealthFixed => Health * Fixed.One;

    public int ShieldFixed => Shield * Fixed.One;

    public int RadiusFixed => (int)(Radius * Fixed.One);
}
