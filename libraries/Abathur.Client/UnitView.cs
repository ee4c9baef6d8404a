using System.Numerics;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>One unit of a frame: a row of <see cref="UnitColumns"/>, which has further columns. Valid as long as the frame, except
/// <see cref="Tag"/>.</summary>
/// <remarks>Two views are equal if they have the same tag, also of different frames: views can be keys, and be looked for in a later frame.
/// </remarks>
public readonly struct UnitView : IEquatable<UnitView>
{
    // Not UnitColumns and two numbers, which take more room.
    private readonly UnitTables? _tables;
    private readonly int _version;

    internal UnitView(UnitTables tables, int version, int row, ulong tag) =>
        (_tables, _version, Row, Tag) = (tables, version, row, tag);

    /// <summary>The columns.</summary>
    public UnitColumns Units => new(_tables, _version);

    /// <summary>Its row in the columns.</summary>
    public int Row { get; }

    /// <summary>Identifies the unit for the whole match. Stays when the frame is not valid any more.</summary>
    public ulong Tag { get; }

    /// <summary>Type id, as in the game's data.</summary>
    public uint UnitType => Units.UnitType[Row];

    /// <summary>Player id; 16 for a neutral unit.</summary>
    public int Owner => Units.Owner[Row];

    /// <summary>Whose it is, as the player sees it.</summary>
    public Alliance Alliance => Units.Alliance[Row];

    /// <summary>Whether it is visible, remembered (snapshot), hidden, or a placeholder of a building.</summary>
    public DisplayType DisplayType => Units.DisplayType[Row];

    /// <summary>Whether it is cloaked, and detected.</summary>
    public CloakState Cloak => Units.Cloak[Row];

    /// <summary>x of the position, in map cells.</summary>
    public float X => Units.X[Row];

    /// <summary>y of the position, in map cells.</summary>
    public float Y => Units.Y[Row];

    /// <summary>Height of the position, in map cells.</summary>
    public float Z => Units.Z[Row];

    /// <summary>Direction, in radians from the x axis, counterclockwise.</summary>
    public float Facing => Units.Facing[Row];

    /// <summary>Radius, in map cells.</summary>
    public float Radius => Units.Radius[Row];

    /// <summary>0 to 1; 1 when it is complete.</summary>
    public float BuildProgress => Units.BuildProgress[Row];

    /// <summary>Points of health.</summary>
    public float Health => Units.Health[Row];

    /// <summary>Points of health when it is undamaged.</summary>
    public float HealthMax => Units.HealthMax[Row];

    /// <summary>Points of shield.</summary>
    public float Shield => Units.Shield[Row];

    /// <summary>Points of shield when it is undamaged.</summary>
    public float ShieldMax => Units.ShieldMax[Row];

    /// <summary>Points of energy.</summary>
    public float Energy => Units.Energy[Row];

    /// <summary>Most points of energy.</summary>
    public float EnergyMax => Units.EnergyMax[Row];

    /// <summary>Game loops until its weapon can fire again.</summary>
    public float WeaponCooldown => Units.WeaponCooldown[Row];

    /// <summary>Room that its passengers take.</summary>
    public int CargoSpaceTaken => Units.CargoSpaceTaken[Row];

    /// <summary>Whether it flies.</summary>
    public bool IsFlying => Units.IsFlying[Row];

    /// <summary>Whether it is burrowed.</summary>
    public bool IsBurrowed => Units.IsBurrowed[Row];

    /// <summary>Whether it is only a blip of a sensor tower.</summary>
    public bool IsBlip => Units.IsBlip[Row];

    /// <summary>Whether it is a hallucination, of one's own or detected.</summary>
    public bool IsHallucination => Units.IsHallucination[Row];

    /// <summary>Tag of the unit that it attacks; 0: none.</summary>
    public ulong EngagedTargetTag => Units.EngagedTargetTag[Row];

    /// <summary>Name of its type in the game's data, e.g. <c>Queen</c>; the number of a type that this library does not know.</summary>
    public string Name => UnitTypeNames.Of(UnitType);

    /// <summary>x and y, in map cells.</summary>
    public Vector2 Position => new(X, Y);

    /// <summary>Rows of its orders in <see cref="UnitColumns.Orders"/>.</summary>
    public Range Orders => Units.Orders.Of(Row);

    /// <summary>Ids of its buffs.</summary>
    public ReadOnlySpan<uint> Buffs => Units.Buffs.BuffId[Units.Buffs.Of(Row)];

    /// <summary>Rows of its passengers in <see cref="UnitColumns.Passengers"/>.</summary>
    public Range Passengers => Units.Passengers.Of(Row);

    /// <summary>Distance to a point, in map cells.</summary>
    /// <param name="x">x of the point, in map cells.</param>
    /// <param name="y">y of the point, in map cells.</param>
    public float DistanceTo(float x, float y) => MathF.Sqrt(((X - x) * (X - x)) + ((Y - y) * (Y - y)));

    /// <summary>Distance between the centers of two units, in map cells.</summary>
    /// <param name="other">The other unit.</param>
    public float DistanceTo(UnitView other) => DistanceTo(other.X, other.Y);

    /// <summary>Whether the tags are equal.</summary>
    /// <param name="left">A unit.</param>
    /// <param name="right">Another one.</param>
    public static bool operator ==(UnitView left, UnitView right) => left.Equals(right);

    /// <summary>Whether the tags are different.</summary>
    /// <param name="left">A unit.</param>
    /// <param name="right">Another one.</param>
    public static bool operator !=(UnitView left, UnitView right) => !left.Equals(right);

    /// <summary>Whether the tags are equal.</summary>
    /// <param name="other">The other unit.</param>
    public bool Equals(UnitView other) => Tag == other.Tag;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is UnitView other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Tag.GetHashCode();

    /// <summary>Type, tag and position.</summary>
    public override string ToString() =>
        Units.IsValid ? $"{Name} {Tag} at ({X:f1}, {Y:f1})" : $"unit {Tag} of a frame that is not valid any more";
}
