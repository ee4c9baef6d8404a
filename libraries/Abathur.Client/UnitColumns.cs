using System.Runtime.InteropServices;
using Abathur.Columns.Tables;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>The units of one frame: a column for each field, a row for each unit.</summary>
/// <remarks>
/// Positions are map cells, <see cref="Facing"/> radians, <see cref="Health"/>, <see cref="Shield"/> and <see cref="Energy"/> points,
/// <see cref="WeaponCooldown"/> game loops. A field that a unit does not have reads as the protocol's default; <see cref="Has"/> tells the
/// difference. Each column is converted when it is first read. The order is that of the message; with
/// <see cref="FrameEncoding.Columns"/> it is another one, in which a unit keeps its place as long as no unit before it disappears. Spans
/// are valid until the next frame.
/// </remarks>
public sealed class UnitColumns
{
    private const int ColumnCount = 49, TagColumn = 40, HasColumn = 43, FirstCount = 45;
    private readonly CachedColumns _columns;
    private readonly TagIndex _index = new();
    private bool _isIndexed;

    internal UnitColumns(UnitCells cells)
    {
        _columns = new CachedColumns(cells, TableId.Units, ColumnCount);
        Orders = new OrderColumns(cells, this);
        Buffs = new BuffColumns(cells, this);
        Passengers = new PassengerColumns(cells, this);
        RallyTargets = new RallyTargetColumns(cells, this);
    }

    /// <summary>Number of units.</summary>
    public int Count => _columns.Rows;

    public ReadOnlySpan<ulong> Tag => _columns.Get<ulong>(TagColumn);

    /// <summary>Type ids, as in the game's data.</summary>
    public ReadOnlySpan<uint> UnitType => _columns.Get<uint>(19);

    /// <summary>Player ids; 16 for neutral units.</summary>
    public ReadOnlySpan<int> Owner => _columns.Get<int>(20);

    public ReadOnlySpan<Alliance> Alliance => MemoryMarshal.Cast<int, Alliance>(_columns.Get<int>(18));

    public ReadOnlySpan<DisplayType> DisplayType => MemoryMarshal.Cast<int, DisplayType>(_columns.Get<int>(17));

    public ReadOnlySpan<CloakState> Cloak => MemoryMarshal.Cast<int, CloakState>(_columns.Get<int>(21));

    public ReadOnlySpan<float> X => _columns.GetFloats(0);

    public ReadOnlySpan<float> Y => _columns.GetFloats(1);

    public ReadOnlySpan<float> Z => _columns.GetFloats(3);

    public ReadOnlySpan<float> Facing => _columns.GetFloats(10);

    public ReadOnlySpan<float> Radius => _columns.GetFloats(11);

    /// <summary>0 to 1.</summary>
    public ReadOnlySpan<float> BuildProgress => _columns.GetFloats(5);

    public ReadOnlySpan<float> DetectRange => _columns.GetFloats(12);

    public ReadOnlySpan<float> RadarRange => _columns.GetFloats(13);

    public ReadOnlySpan<float> Health => _columns.GetFloats(6);

    public ReadOnlySpan<float> HealthMax => _columns.GetFloats(14);

    public ReadOnlySpan<float> Shield => _columns.GetFloats(7);

    public ReadOnlySpan<float> ShieldMax => _columns.GetFloats(15);

    public ReadOnlySpan<float> Energy => _columns.GetFloats(8);

    public ReadOnlySpan<float> EnergyMax => _columns.GetFloats(16);

    public ReadOnlySpan<float> WeaponCooldown => _columns.GetFloats(9);

    public ReadOnlySpan<int> MineralContents => _columns.Get<int>(30);

    public ReadOnlySpan<int> VespeneContents => _columns.Get<int>(31);

    public ReadOnlySpan<int> AssignedHarvesters => _columns.Get<int>(37);

    public ReadOnlySpan<int> IdealHarvesters => _columns.Get<int>(38);

    public ReadOnlySpan<int> CargoSpaceTaken => _columns.Get<int>(35);

    public ReadOnlySpan<int> CargoSpaceMax => _columns.Get<int>(36);

    public ReadOnlySpan<int> AttackUpgradeLevel => _columns.Get<int>(27);

    public ReadOnlySpan<int> ArmorUpgradeLevel => _columns.Get<int>(28);

    public ReadOnlySpan<int> ShieldUpgradeLevel => _columns.Get<int>(29);

    public ReadOnlySpan<ulong> EngagedTargetTag => _columns.Get<ulong>(42);

    public ReadOnlySpan<ulong> AddOnTag => _columns.Get<ulong>(41);

    public ReadOnlySpan<bool> IsFlying => _columns.Get<bool>(32);

    public ReadOnlySpan<bool> IsBurrowed => _columns.Get<bool>(33);

    public ReadOnlySpan<bool> IsHallucination => _columns.Get<bool>(34);

    public ReadOnlySpan<bool> IsOnScreen => _columns.Get<bool>(23);

    public ReadOnlySpan<bool> IsSelected => _columns.Get<bool>(22);

    public ReadOnlySpan<bool> IsBlip => _columns.Get<bool>(24);

    public ReadOnlySpan<bool> IsPowered => _columns.Get<bool>(25);

    public ReadOnlySpan<bool> IsActive => _columns.Get<bool>(26);

    public ReadOnlySpan<int> BuffDurationRemain => _columns.Get<int>(4);

    public ReadOnlySpan<int> BuffDurationMax => _columns.Get<int>(39);

    /// <summary>The orders of all units.</summary>
    public OrderColumns Orders { get; }

    /// <summary>The buffs on all units.</summary>
    public BuffColumns Buffs { get; }

    /// <summary>The passengers of all units.</summary>
    public PassengerColumns Passengers { get; }

    /// <summary>The rally targets of all units.</summary>
    public RallyTargetColumns RallyTargets { get; }

    /// <summary>The unit in a row.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
    public UnitView this[int row]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfNegative(row);
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(row, Count);
            return new UnitView(this, row);
        }
    }

    /// <summary>The unit with a tag; null if no unit matches. If several have it, the last.</summary>
    public UnitView? ByTag(ulong tag) => RowOf(tag) is var row and >= 0 ? new UnitView(this, row) : null;

    /// <summary>The row of the unit with a tag; -1 if no row has it. If several have it, the last.</summary>
    public int RowOf(ulong tag)
    {
        if (!_isIndexed)
        {
            _index.Build(Tag);
            _isIndexed = true;
        }
        return _index.Find(tag);
    }

    /// <summary>The units that match all that is given, for <c>foreach</c>; allocates nothing.</summary>
    public UnitQuery Where(Alliance? alliance = null, uint? unitType = null) => new(this, alliance, unitType);

    /// <summary>The units of some types, and of an alliance if one is given; allocates nothing.</summary>
    public UnitQuery Where(ReadOnlySpan<uint> unitTypes, Alliance? alliance = null) => new(this, alliance, unitTypes);

    /// <summary>Whether a unit has a field.</summary>
    public bool Has(UnitField field, int row) => (_columns.Get<ulong>(HasColumn)[row] >> (int)field & 1) != 0;

    /// <summary>All units.</summary>
    public UnitQuery.Enumerator GetEnumerator() => new UnitQuery(this, null, (uint?)null).GetEnumerator();

    internal ReadOnlySpan<int> PartCounts(TableId table) => _columns.Get<int>(FirstCount + (int)table - 1);

    internal void Reset()
    {
        _columns.Reset();
        _isIndexed = false;
        Orders.Reset();
        Buffs.Reset();
        Passengers.Reset();
        RallyTargets.Reset();
    }
}
