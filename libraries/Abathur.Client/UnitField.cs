namespace Abathur.Client;

/// <summary>The fields of a unit, for <see cref="UnitColumns.Has"/>. The values are the columns of <c>docs/columns.md</c>.</summary>
public enum UnitField
{
    /// <summary>See <see cref="UnitColumns.X"/>.</summary>
    X = 0,

    /// <summary>See <see cref="UnitColumns.Y"/>.</summary>
    Y = 1,

    /// <summary>Whether there is a position: <see cref="UnitColumns.X"/>, <see cref="UnitColumns.Y"/>.</summary>
    Position = 2,

    /// <summary>See <see cref="UnitColumns.Z"/>.</summary>
    Z = 3,

    /// <summary>See <see cref="UnitColumns.BuffDurationRemain"/>.</summary>
    BuffDurationRemain = 4,

    /// <summary>See <see cref="UnitColumns.BuildProgress"/>.</summary>
    BuildProgress = 5,

    /// <summary>See <see cref="UnitColumns.Health"/>.</summary>
    Health = 6,

    /// <summary>See <see cref="UnitColumns.Shield"/>.</summary>
    Shield = 7,

    /// <summary>See <see cref="UnitColumns.Energy"/>.</summary>
    Energy = 8,

    /// <summary>See <see cref="UnitColumns.WeaponCooldown"/>.</summary>
    WeaponCooldown = 9,

    /// <summary>See <see cref="UnitColumns.Facing"/>.</summary>
    Facing = 10,

    /// <summary>See <see cref="UnitColumns.Radius"/>.</summary>
    Radius = 11,

    /// <summary>See <see cref="UnitColumns.DetectRange"/>.</summary>
    DetectRange = 12,

    /// <summary>See <see cref="UnitColumns.RadarRange"/>.</summary>
    RadarRange = 13,

    /// <summary>See <see cref="UnitColumns.HealthMax"/>.</summary>
    HealthMax = 14,

    /// <summary>See <see cref="UnitColumns.ShieldMax"/>.</summary>
    ShieldMax = 15,

    /// <summary>See <see cref="UnitColumns.EnergyMax"/>.</summary>
    EnergyMax = 16,

    /// <summary>See <see cref="UnitColumns.DisplayType"/>.</summary>
    DisplayType = 17,

    /// <summary>See <see cref="UnitColumns.Alliance"/>.</summary>
    Alliance = 18,

    /// <summary>See <see cref="UnitColumns.UnitType"/>.</summary>
    UnitType = 19,

    /// <summary>See <see cref="UnitColumns.Owner"/>.</summary>
    Owner = 20,

    /// <summary>See <see cref="UnitColumns.Cloak"/>.</summary>
    Cloak = 21,

    /// <summary>See <see cref="UnitColumns.IsSelected"/>.</summary>
    IsSelected = 22,

    /// <summary>See <see cref="UnitColumns.IsOnScreen"/>.</summary>
    IsOnScreen = 23,

    /// <summary>See <see cref="UnitColumns.IsBlip"/>.</summary>
    IsBlip = 24,

    /// <summary>See <see cref="UnitColumns.IsPowered"/>.</summary>
    IsPowered = 25,

    /// <summary>See <see cref="UnitColumns.IsActive"/>.</summary>
    IsActive = 26,

    /// <summary>See <see cref="UnitColumns.AttackUpgradeLevel"/>.</summary>
    AttackUpgradeLevel = 27,

    /// <summary>See <see cref="UnitColumns.ArmorUpgradeLevel"/>.</summary>
    ArmorUpgradeLevel = 28,

    /// <summary>See <see cref="UnitColumns.ShieldUpgradeLevel"/>.</summary>
    ShieldUpgradeLevel = 29,

    /// <summary>See <see cref="UnitColumns.MineralContents"/>.</summary>
    MineralContents = 30,

    /// <summary>See <see cref="UnitColumns.VespeneContents"/>.</summary>
    VespeneContents = 31,

    /// <summary>See <see cref="UnitColumns.IsFlying"/>.</summary>
    IsFlying = 32,

    /// <summary>See <see cref="UnitColumns.IsBurrowed"/>.</summary>
    IsBurrowed = 33,

    /// <summary>See <see cref="UnitColumns.IsHallucination"/>.</summary>
    IsHallucination = 34,

    /// <summary>See <see cref="UnitColumns.CargoSpaceTaken"/>.</summary>
    CargoSpaceTaken = 35,

    /// <summary>See <see cref="UnitColumns.CargoSpaceMax"/>.</summary>
    CargoSpaceMax = 36,

    /// <summary>See <see cref="UnitColumns.AssignedHarvesters"/>.</summary>
    AssignedHarvesters = 37,

    /// <summary>See <see cref="UnitColumns.IdealHarvesters"/>.</summary>
    IdealHarvesters = 38,

    /// <summary>See <see cref="UnitColumns.BuffDurationMax"/>.</summary>
    BuffDurationMax = 39,

    /// <summary>See <see cref="UnitColumns.Tag"/>.</summary>
    Tag = 40,

    /// <summary>See <see cref="UnitColumns.AddOnTag"/>.</summary>
    AddOnTag = 41,

    /// <summary>See <see cref="UnitColumns.EngagedTargetTag"/>.</summary>
    EngagedTargetTag = 42,
}
