namespace Abathur.Columns.Tables;

/// <summary>Columns of <see cref="TableId.Units"/>.</summary>
public static class UnitColumn
{
    /// <summary>x of the position, in map cells. A float.</summary>
    public const int X = 0;

    /// <summary>y of the position, in map cells. A float.</summary>
    public const int Y = 1;

    /// <summary>Not a field: the speed, from which the format predicts the position.</summary>
    public const int Speed = 2;

    /// <summary>Height of the position, in map cells. A float.</summary>
    public const int Z = 3;

    /// <summary>Game loops that the buff with a bar lasts.</summary>
    public const int BuffDurationRemain = 4;

    /// <summary>0 to 1. A float.</summary>
    public const int BuildProgress = 5;

    /// <summary>Points of health. A float.</summary>
    public const int Health = 6;

    /// <summary>Points of shield. A float.</summary>
    public const int Shield = 7;

    /// <summary>Points of energy. A float.</summary>
    public const int Energy = 8;

    /// <summary>Game loops until the weapon can fire again. A float.</summary>
    public const int WeaponCooldown = 9;

    /// <summary>Direction, in radians from the x axis, counterclockwise. A float.</summary>
    public const int Facing = 10;

    /// <summary>Radius, in map cells. A float.</summary>
    public const int Radius = 11;

    /// <summary>How far it detects cloaked units, in map cells. A float.</summary>
    public const int DetectRange = 12;

    /// <summary>How far a sensor tower reaches, in map cells. A float.</summary>
    public const int RadarRange = 13;

    /// <summary>Points of health of an undamaged unit. A float.</summary>
    public const int HealthMax = 14;

    /// <summary>Points of shield of an undamaged unit. A float.</summary>
    public const int ShieldMax = 15;

    /// <summary>Most points of energy. A float.</summary>
    public const int EnergyMax = 16;

    /// <summary>A <c>DisplayType</c>.</summary>
    public const int DisplayType = 17;

    /// <summary>An <c>Alliance</c>.</summary>
    public const int Alliance = 18;

    /// <summary>Type id, as in the game's data.</summary>
    public const int UnitType = 19;

    /// <summary>Player id; 16 for a neutral unit.</summary>
    public const int Owner = 20;

    /// <summary>A <c>CloakState</c>.</summary>
    public const int Cloak = 21;

    /// <summary>0 or 1: whether it is selected in the game's interface.</summary>
    public const int IsSelected = 22;

    /// <summary>0 or 1: whether it is in the camera's view.</summary>
    public const int IsOnScreen = 23;

    /// <summary>0 or 1: whether it is only a blip of a sensor tower.</summary>
    public const int IsBlip = 24;

    /// <summary>0 or 1: whether a building has the power that it needs.</summary>
    public const int IsPowered = 25;

    /// <summary>0 or 1: whether a building works on something.</summary>
    public const int IsActive = 26;

    /// <summary>Upgrades of attack: 0 to 3.</summary>
    public const int AttackUpgradeLevel = 27;

    /// <summary>Upgrades of armor: 0 to 3.</summary>
    public const int ArmorUpgradeLevel = 28;

    /// <summary>Upgrades of shields: 0 to 3.</summary>
    public const int ShieldUpgradeLevel = 29;

    /// <summary>Minerals that are left in a mineral field.</summary>
    public const int MineralContents = 30;

    /// <summary>Gas that is left in a geyser.</summary>
    public const int VespeneContents = 31;

    /// <summary>0 or 1: whether it flies.</summary>
    public const int IsFlying = 32;

    /// <summary>0 or 1: whether it is burrowed.</summary>
    public const int IsBurrowed = 33;

    /// <summary>0 or 1: whether it is a hallucination.</summary>
    public const int IsHallucination = 34;

    /// <summary>Room that passengers take.</summary>
    public const int CargoSpaceTaken = 35;

    /// <summary>Room for passengers.</summary>
    public const int CargoSpaceMax = 36;

    /// <summary>Workers that mine at a town hall or a gas building.</summary>
    public const int AssignedHarvesters = 37;

    /// <summary>How many workers should mine there.</summary>
    public const int IdealHarvesters = 38;

    /// <summary>Game loops that the buff with a bar lasts in all.</summary>
    public const int BuffDurationMax = 39;

    /// <summary>Identifies the unit: a <c>ulong</c>.</summary>
    public const int Tag = 40;

    /// <summary>Tag of a building's add-on: a <c>ulong</c>; 0: none.</summary>
    public const int AddOnTag = 41;

    /// <summary>Tag of the unit that it attacks: a <c>ulong</c>; 0: none.</summary>
    public const int EngagedTargetTag = 42;

    /// <summary>A bit for each column whose field the unit has; <see cref="Speed"/> stands for the position.</summary>
    public const int Has = 43;

    /// <summary>Two bits for each column of floats: how the float is stored.</summary>
    public const int Kinds = 44;

    /// <summary>Number of rows in <see cref="TableId.Orders"/>.</summary>
    public const int OrderCount = 45;

    /// <summary>Number of rows in <see cref="TableId.Buffs"/>.</summary>
    public const int BuffCount = 46;

    /// <summary>Number of rows in <see cref="TableId.Passengers"/>.</summary>
    public const int PassengerCount = 47;

    /// <summary>Number of rows in <see cref="TableId.RallyTargets"/>.</summary>
    public const int RallyTargetCount = 48;
}
