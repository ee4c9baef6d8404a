using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Abathur.Columns.Tables;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>The units of one frame: a column for each field, a row for each unit; and a list of <see cref="UnitView"/>, for LINQ.</summary>
/// <remarks>
/// A field that a unit does not have reads as the protocol's default; <see cref="Has"/> tells the difference. Each column is converted when
/// it is first read. The order is that of the message; with <see cref="FrameEncoding.Columns"/> it is another one, in which a unit keeps
/// its place as long as no unit before it disappears. Valid as long as the frame; spans are not checked. LINQ, and a <c>foreach</c> over an
/// interface, allocate an enumerator; <c>foreach</c> over this, or over <see cref="Where(Alliance?, uint?)"/>, allocates nothing.
/// </remarks>
public readonly struct UnitColumns : IReadOnlyList<UnitView>
{
    private readonly UnitTables? _tables;
    private readonly int _version;

    internal UnitColumns(UnitTables? tables, int version) => (_tables, _version) = (tables, version);

    /// <summary>Number of units.</summary>
    public int Count => Columns.Rows;

    /// <summary>Identify units: a unit keeps its tag for the whole match.</summary>
    public ReadOnlySpan<ulong> Tag => Columns.Get<ulong>(UnitColumn.Tag);

    /// <summary>Type ids, as in the game's data.</summary>
    public ReadOnlySpan<uint> UnitType => Columns.Get<uint>(UnitColumn.UnitType);

    /// <summary>Player ids; 16 for neutral units.</summary>
    public ReadOnlySpan<int> Owner => Columns.Get<int>(UnitColumn.Owner);

    /// <summary>Whose they are, as the player sees it.</summary>
    public ReadOnlySpan<Alliance> Alliance => MemoryMarshal.Cast<int, Alliance>(Columns.Get<int>(UnitColumn.Alliance));

    /// <summary>Whether they are visible, remembered (snapshot), hidden, or a placeholder of a building.</summary>
    public ReadOnlySpan<DisplayType> DisplayType => MemoryMarshal.Cast<int, DisplayType>(Columns.Get<int>(UnitColumn.DisplayType));

    /// <summary>Whether they are cloaked, and detected.</summary>
    public ReadOnlySpan<CloakState> Cloak => MemoryMarshal.Cast<int, CloakState>(Columns.Get<int>(UnitColumn.Cloak));

    /// <summary>x of the positions, in map cells.</summary>
    public ReadOnlySpan<float> X => Columns.GetFloats(UnitColumn.X);

    /// <summary>y of the positions, in map cells.</summary>
    public ReadOnlySpan<float> Y => Columns.GetFloats(UnitColumn.Y);

    /// <summary>Height of the positions, in map cells.</summary>
    public ReadOnlySpan<float> Z => Columns.GetFloats(UnitColumn.Z);

    /// <summary>Directions, in radians from the x axis, counterclockwise.</summary>
    public ReadOnlySpan<float> Facing => Columns.GetFloats(UnitColumn.Facing);

    /// <summary>Radii, in map cells.</summary>
    public ReadOnlySpan<float> Radius => Columns.GetFloats(UnitColumn.Radius);

    /// <summary>0 to 1; 1 where the unit is complete.</summary>
    public ReadOnlySpan<float> BuildProgress => Columns.GetFloats(UnitColumn.BuildProgress);

    /// <summary>How far they detect cloaked units, in map cells.</summary>
    public ReadOnlySpan<float> DetectRange => Columns.GetFloats(UnitColumn.DetectRange);

    /// <summary>How far sensor towers reach, in map cells.</summary>
    public ReadOnlySpan<float> RadarRange => Columns.GetFloats(UnitColumn.RadarRange);

    /// <summary>Points of health.</summary>
    public ReadOnlySpan<float> Health => Columns.GetFloats(UnitColumn.Health);

    /// <summary>Points of health of an undamaged unit.</summary>
    public ReadOnlySpan<float> HealthMax => Columns.GetFloats(UnitColumn.HealthMax);

    /// <summary>Points of shield.</summary>
    public ReadOnlySpan<float> Shield => Columns.GetFloats(UnitColumn.Shield);

    /// <summary>Points of shield of an undamaged unit.</summary>
    public ReadOnlySpan<float> ShieldMax => Columns.GetFloats(UnitColumn.ShieldMax);

    /// <summary>Points of energy.</summary>
    public ReadOnlySpan<float> Energy => Columns.GetFloats(UnitColumn.Energy);

    /// <summary>Most points of energy.</summary>
    public ReadOnlySpan<float> EnergyMax => Columns.GetFloats(UnitColumn.EnergyMax);

    /// <summary>Game loops until the weapon can fire again.</summary>
    public ReadOnlySpan<float> WeaponCooldown => Columns.GetFloats(UnitColumn.WeaponCooldown);

    /// <summary>Minerals that are left in a mineral field.</summary>
    public ReadOnlySpan<int> MineralContents => Columns.Get<int>(UnitColumn.MineralContents);

    /// <summary>Gas that is left in a geyser.</summary>
    public ReadOnlySpan<int> VespeneContents => Columns.Get<int>(UnitColumn.VespeneContents);

    /// <summary>Workers that mine at a town hall or a gas building.</summary>
    public ReadOnlySpan<int> AssignedHarvesters => Columns.Get<int>(UnitColumn.AssignedHarvesters);

    /// <summary>How many workers should mine there.</summary>
    public ReadOnlySpan<int> IdealHarvesters => Columns.Get<int>(UnitColumn.IdealHarvesters);

    /// <summary>Room that passengers take.</summary>
    public ReadOnlySpan<int> CargoSpaceTaken => Columns.Get<int>(UnitColumn.CargoSpaceTaken);

    /// <summary>Room for passengers.</summary>
    public ReadOnlySpan<int> CargoSpaceMax => Columns.Get<int>(UnitColumn.CargoSpaceMax);

    /// <summary>Upgrades of attack: 0 to 3.</summary>
    public ReadOnlySpan<int> AttackUpgradeLevel => Columns.Get<int>(UnitColumn.AttackUpgradeLevel);

    /// <summary>Upgrades of armor: 0 to 3.</summary>
    public ReadOnlySpan<int> ArmorUpgradeLevel => Columns.Get<int>(UnitColumn.ArmorUpgradeLevel);

    /// <summary>Upgrades of shields: 0 to 3.</summary>
    public ReadOnlySpan<int> ShieldUpgradeLevel => Columns.Get<int>(UnitColumn.ShieldUpgradeLevel);

    /// <summary>Tags of the units that they attack; 0: none.</summary>
    public ReadOnlySpan<ulong> EngagedTargetTag => Columns.Get<ulong>(UnitColumn.EngagedTargetTag);

    /// <summary>Tags of the add-ons of buildings; 0: none.</summary>
    public ReadOnlySpan<ulong> AddOnTag => Columns.Get<ulong>(UnitColumn.AddOnTag);

    /// <summary>Whether they fly.</summary>
    public ReadOnlySpan<bool> IsFlying => Columns.Get<bool>(UnitColumn.IsFlying);

    /// <summary>Whether they are burrowed.</summary>
    public ReadOnlySpan<bool> IsBurrowed => Columns.Get<bool>(UnitColumn.IsBurrowed);

    /// <summary>Whether they are hallucinations, of one's own or detected.</summary>
    public ReadOnlySpan<bool> IsHallucination => Columns.Get<bool>(UnitColumn.IsHallucination);

    /// <summary>Whether they are in the camera's view.</summary>
    public ReadOnlySpan<bool> IsOnScreen => Columns.Get<bool>(UnitColumn.IsOnScreen);

    /// <summary>Whether they are selected in the game's interface.</summary>
    public ReadOnlySpan<bool> IsSelected => Columns.Get<bool>(UnitColumn.IsSelected);

    /// <summary>Whether they are only a blip of a sensor tower.</summary>
    public ReadOnlySpan<bool> IsBlip => Columns.Get<bool>(UnitColumn.IsBlip);

    /// <summary>Whether a building has the power that it needs.</summary>
    public ReadOnlySpan<bool> IsPowered => Columns.Get<bool>(UnitColumn.IsPowered);

    /// <summary>Whether a building works on something.</summary>
    public ReadOnlySpan<bool> IsActive => Columns.Get<bool>(UnitColumn.IsActive);

    /// <summary>Game loops that the buff with a bar lasts.</summary>
    public ReadOnlySpan<int> BuffDurationRemain => Columns.Get<int>(UnitColumn.BuffDurationRemain);

    /// <summary>Game loops that it lasts in all.</summary>
    public ReadOnlySpan<int> BuffDurationMax => Columns.Get<int>(UnitColumn.BuffDurationMax);

    /// <summary>The orders of all units.</summary>
    public OrderColumns Orders => new(this);

    /// <summary>The buffs on all units.</summary>
    public BuffColumns Buffs => new(this);

    /// <summary>The passengers of all units.</summary>
    public PassengerColumns Passengers => new(this);

    /// <summary>The rally targets of all units.</summary>
    public RallyTargetColumns RallyTargets => new(this);

    [MemberNotNullWhen(true, nameof(_tables))]
    internal bool IsValid => _tables is not null && _tables.Version == _version;

    internal UnitTables Tables => IsValid ? _tables : ThrowNotValid();

    private CachedColumns Columns => Tables.Units;

    /// <summary>The unit in a row.</summary>
    /// <param name="row">The row, from 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
    public UnitView this[int row]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfNegative(row);
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(row, Count);
            return new UnitView(Tables, _version, row, Tag[row]);
        }
    }

    /// <summary>The unit with a tag; null if no unit matches. If several have it, the last.</summary>
    /// <param name="tag">The tag.</param>
    public UnitView? ByTag(ulong tag) => RowOf(tag) is var row and >= 0 ? new UnitView(_tables!, _version, row, tag) : null;

    /// <summary>The row of the unit with a tag; -1 if no row has it. If several have it, the last.</summary>
    /// <param name="tag">The tag.</param>
    public int RowOf(ulong tag) => Tables.RowOf(tag);

    /// <summary>The units that match all that is given.</summary>
    /// <param name="alliance">Whose they are; null: anyone's.</param>
    /// <param name="unitType">Their type; null: any.</param>
    public UnitQuery Where(Alliance? alliance = null, uint? unitType = null) => new(this, alliance, unitType);

    /// <summary>The units of some types, and of an alliance if one is given.</summary>
    /// <param name="unitTypes">The types. Keep the array where this is called for each frame.</param>
    /// <param name="alliance">Whose they are; null: anyone's.</param>
    public UnitQuery Where(uint[] unitTypes, Alliance? alliance = null) => new(this, alliance, unitTypes);

    /// <summary>Whether a unit has a field.</summary>
    /// <param name="field">The field.</param>
    /// <param name="row">Row of the unit.</param>
    public bool Has(UnitField field, int row) => (Columns.Get<ulong>(UnitColumn.Has)[row] >> (int)field & 1) != 0;

    /// <summary>All units.</summary>
    public UnitQuery.Enumerator GetEnumerator() => Where().GetEnumerator();

    private UnitTables ThrowNotValid() => throw GameFrame.NotValid(_tables);

    IEnumerator<UnitView> IEnumerable<UnitView>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
