using System.Collections;
using System.Runtime.InteropServices;
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
    private const int HasColumn = 43;
    private readonly GameFrame _frame;

    internal UnitColumns(GameFrame frame) => _frame = frame;

    /// <summary>Number of units.</summary>
    public int Count => Columns.Rows;

    /// <summary>Identify units: a unit keeps its tag for the whole match.</summary>
    public ReadOnlySpan<ulong> Tag => Columns.Get<ulong>((int)UnitField.Tag);

    /// <summary>Type ids, as in the game's data.</summary>
    public ReadOnlySpan<uint> UnitType => Columns.Get<uint>((int)UnitField.UnitType);

    /// <summary>Player ids; 16 for neutral units.</summary>
    public ReadOnlySpan<int> Owner => Columns.Get<int>((int)UnitField.Owner);

    /// <summary>Whose they are, as the player sees it.</summary>
    public ReadOnlySpan<Alliance> Alliance => MemoryMarshal.Cast<int, Alliance>(Columns.Get<int>((int)UnitField.Alliance));

    /// <summary>Whether they are visible, remembered (snapshot), hidden, or a placeholder of a building.</summary>
    public ReadOnlySpan<DisplayType> DisplayType => MemoryMarshal.Cast<int, DisplayType>(Columns.Get<int>((int)UnitField.DisplayType));

    /// <summary>Whether they are cloaked, and detected.</summary>
    public ReadOnlySpan<CloakState> Cloak => MemoryMarshal.Cast<int, CloakState>(Columns.Get<int>((int)UnitField.Cloak));

    /// <summary>x of the positions, in map cells.</summary>
    public ReadOnlySpan<float> X => Columns.GetFloats((int)UnitField.X);

    /// <summary>y of the positions, in map cells.</summary>
    public ReadOnlySpan<float> Y => Columns.GetFloats((int)UnitField.Y);

    /// <summary>Height of the positions, in map cells.</summary>
    public ReadOnlySpan<float> Z => Columns.GetFloats((int)UnitField.Z);

    /// <summary>Directions, in radians from the x axis, counterclockwise.</summary>
    public ReadOnlySpan<float> Facing => Columns.GetFloats((int)UnitField.Facing);

    /// <summary>Radii, in map cells.</summary>
    public ReadOnlySpan<float> Radius => Columns.GetFloats((int)UnitField.Radius);

    /// <summary>0 to 1; 1 where the unit is complete.</summary>
    public ReadOnlySpan<float> BuildProgress => Columns.GetFloats((int)UnitField.BuildProgress);

    /// <summary>How far they detect cloaked units, in map cells.</summary>
    public ReadOnlySpan<float> DetectRange => Columns.GetFloats((int)UnitField.DetectRange);

    /// <summary>How far sensor towers reach, in map cells.</summary>
    public ReadOnlySpan<float> RadarRange => Columns.GetFloats((int)UnitField.RadarRange);

    /// <summary>Points of health.</summary>
    public ReadOnlySpan<float> Health => Columns.GetFloats((int)UnitField.Health);

    /// <summary>Points of health of an undamaged unit.</summary>
    public ReadOnlySpan<float> HealthMax => Columns.GetFloats((int)UnitField.HealthMax);

    /// <summary>Points of shield.</summary>
    public ReadOnlySpan<float> Shield => Columns.GetFloats((int)UnitField.Shield);

    /// <summary>Points of shield of an undamaged unit.</summary>
    public ReadOnlySpan<float> ShieldMax => Columns.GetFloats((int)UnitField.ShieldMax);

    /// <summary>Points of energy.</summary>
    public ReadOnlySpan<float> Energy => Columns.GetFloats((int)UnitField.Energy);

    /// <summary>Most points of energy.</summary>
    public ReadOnlySpan<float> EnergyMax => Columns.GetFloats((int)UnitField.EnergyMax);

    /// <summary>Game loops until the weapon can fire again.</summary>
    public ReadOnlySpan<float> WeaponCooldown => Columns.GetFloats((int)UnitField.WeaponCooldown);

    /// <summary>Minerals that are left in a mineral field.</summary>
    public ReadOnlySpan<int> MineralContents => Columns.Get<int>((int)UnitField.MineralContents);

    /// <summary>Gas that is left in a geyser.</summary>
    public ReadOnlySpan<int> VespeneContents => Columns.Get<int>((int)UnitField.VespeneContents);

    /// <summary>Workers that mine at a town hall or a gas building.</summary>
    public ReadOnlySpan<int> AssignedHarvesters => Columns.Get<int>((int)UnitField.AssignedHarvesters);

    /// <summary>How many workers should mine there.</summary>
    public ReadOnlySpan<int> IdealHarvesters => Columns.Get<int>((int)UnitField.IdealHarvesters);

    /// <summary>Room that passengers take.</summary>
    public ReadOnlySpan<int> CargoSpaceTaken => Columns.Get<int>((int)UnitField.CargoSpaceTaken);

    /// <summary>Room for passengers.</summary>
    public ReadOnlySpan<int> CargoSpaceMax => Columns.Get<int>((int)UnitField.CargoSpaceMax);

    /// <summary>Upgrades of attack: 0 to 3.</summary>
    public ReadOnlySpan<int> AttackUpgradeLevel => Columns.Get<int>((int)UnitField.AttackUpgradeLevel);

    /// <summary>Upgrades of armor: 0 to 3.</summary>
    public ReadOnlySpan<int> ArmorUpgradeLevel => Columns.Get<int>((int)UnitField.ArmorUpgradeLevel);

    /// <summary>Upgrades of shields: 0 to 3.</summary>
    public ReadOnlySpan<int> ShieldUpgradeLevel => Columns.Get<int>((int)UnitField.ShieldUpgradeLevel);

    /// <summary>Tags of the units that they attack; 0: none.</summary>
    public ReadOnlySpan<ulong> EngagedTargetTag => Columns.Get<ulong>((int)UnitField.EngagedTargetTag);

    /// <summary>Tags of the add-ons of buildings; 0: none.</summary>
    public ReadOnlySpan<ulong> AddOnTag => Columns.Get<ulong>((int)UnitField.AddOnTag);

    /// <summary>Whether they fly.</summary>
    public ReadOnlySpan<bool> IsFlying => Columns.Get<bool>((int)UnitField.IsFlying);

    /// <summary>Whether they are burrowed.</summary>
    public ReadOnlySpan<bool> IsBurrowed => Columns.Get<bool>((int)UnitField.IsBurrowed);

    /// <summary>Whether they are hallucinations, of one's own or detected.</summary>
    public ReadOnlySpan<bool> IsHallucination => Columns.Get<bool>((int)UnitField.IsHallucination);

    /// <summary>Whether they are in the camera's view.</summary>
    public ReadOnlySpan<bool> IsOnScreen => Columns.Get<bool>((int)UnitField.IsOnScreen);

    /// <summary>Whether they are selected in the game's interface.</summary>
    public ReadOnlySpan<bool> IsSelected => Columns.Get<bool>((int)UnitField.IsSelected);

    /// <summary>Whether they are only a blip of a sensor tower.</summary>
    public ReadOnlySpan<bool> IsBlip => Columns.Get<bool>((int)UnitField.IsBlip);

    /// <summary>Whether a building has the power that it needs.</summary>
    public ReadOnlySpan<bool> IsPowered => Columns.Get<bool>((int)UnitField.IsPowered);

    /// <summary>Whether a building works on something.</summary>
    public ReadOnlySpan<bool> IsActive => Columns.Get<bool>((int)UnitField.IsActive);

    /// <summary>Game loops that the buff with a bar lasts.</summary>
    public ReadOnlySpan<int> BuffDurationRemain => Columns.Get<int>((int)UnitField.BuffDurationRemain);

    /// <summary>Game loops that it lasts in all.</summary>
    public ReadOnlySpan<int> BuffDurationMax => Columns.Get<int>((int)UnitField.BuffDurationMax);

    /// <summary>The orders of all units.</summary>
    public OrderColumns Orders => new(_frame);

    /// <summary>The buffs on all units.</summary>
    public BuffColumns Buffs => new(_frame);

    /// <summary>The passengers of all units.</summary>
    public PassengerColumns Passengers => new(_frame);

    /// <summary>The rally targets of all units.</summary>
    public RallyTargetColumns RallyTargets => new(_frame);

    internal bool IsValid => _frame.IsValid;

    private CachedColumns Columns => _frame.State.Units.Units;

    /// <summary>The unit in a row.</summary>
    /// <param name="row">The row, from 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
    public UnitView this[int row]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfNegative(row);
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(row, Count);
            return new UnitView(this, row, Tag[row]);
        }
    }

    /// <summary>The unit with a tag; null if no unit matches. If several have it, the last.</summary>
    /// <param name="tag">The tag.</param>
    public UnitView? ByTag(ulong tag) => RowOf(tag) is var row and >= 0 ? new UnitView(this, row, tag) : null;

    /// <summary>The row of the unit with a tag; -1 if no row has it. If several have it, the last.</summary>
    /// <param name="tag">The tag.</param>
    public int RowOf(ulong tag) => _frame.State.Units.RowOf(tag);

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
    public bool Has(UnitField field, int row) => (Columns.Get<ulong>(HasColumn)[row] >> (int)field & 1) != 0;

    /// <summary>All units.</summary>
    public UnitQuery.Enumerator GetEnumerator() => Where().GetEnumerator();

    IEnumerator<UnitView> IEnumerable<UnitView>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
