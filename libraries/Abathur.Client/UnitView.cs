using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>One unit of a frame: a row of <see cref="UnitColumns"/>. Valid until the next frame.</summary>
/// <remarks>Units and meanings: <see cref="UnitColumns"/>, which has further columns.</remarks>
public readonly record struct UnitView
{
    internal UnitView(UnitColumns units, int row) => (Units, Row) = (units, row);

    /// <summary>The columns.</summary>
    public UnitColumns Units { get; }

    /// <summary>Its row in the columns.</summary>
    public int Row { get; }

    public ulong Tag => Units.Tag[Row];

    public uint UnitType => Units.UnitType[Row];

    public int Owner => Units.Owner[Row];

    public Alliance Alliance => Units.Alliance[Row];

    public DisplayType DisplayType => Units.DisplayType[Row];

    public CloakState Cloak => Units.Cloak[Row];

    public float X => Units.X[Row];

    public float Y => Units.Y[Row];

    public float Z => Units.Z[Row];

    public float Facing => Units.Facing[Row];

    public float Radius => Units.Radius[Row];

    public float BuildProgress => Units.BuildProgress[Row];

    public float Health => Units.Health[Row];

    public float HealthMax => Units.HealthMax[Row];

    public float Shield => Units.Shield[Row];

    public float ShieldMax => Units.ShieldMax[Row];

    public float Energy => Units.Energy[Row];

    public float EnergyMax => Units.EnergyMax[Row];

    public float WeaponCooldown => Units.WeaponCooldown[Row];

    public int CargoSpaceTaken => Units.CargoSpaceTaken[Row];

    public bool IsFlying => Units.IsFlying[Row];

    public bool IsBurrowed => Units.IsBurrowed[Row];

    public bool IsBlip => Units.IsBlip[Row];

    public bool IsHallucination => Units.IsHallucination[Row];

    public ulong EngagedTargetTag => Units.EngagedTargetTag[Row];

    /// <summary>Rows of its orders in <see cref="UnitColumns.Orders"/>.</summary>
    public Range Orders => Units.Orders.Of(Row);

    /// <summary>Ids of its buffs.</summary>
    public ReadOnlySpan<uint> Buffs => Units.Buffs.BuffId[Units.Buffs.Of(Row)];

    /// <summary>Rows of its passengers in <see cref="UnitColumns.Passengers"/>.</summary>
    public Range Passengers => Units.Passengers.Of(Row);

    /// <summary>Distance to a point, in map cells.</summary>
    public float DistanceTo(float x, float y) => MathF.Sqrt(((X - x) * (X - x)) + ((Y - y) * (Y - y)));

    /// <summary>Type, tag and position.</summary>
    public override string ToString() => $"unit {Tag} of type {UnitType} at ({X:f1}, {Y:f1})";
}
