using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The columns of units and of their parts, whose memory is used again for each frame.</summary>
internal sealed class UnitTables
{
    private const int ColumnCount = 49, FirstCount = 45;
    private readonly TagIndex _index = new();
    private bool _isIndexed;

    public UnitTables(UnitCells cells)
    {
        Units = new CachedColumns(cells, TableId.Units, ColumnCount);
        Orders = new PartTable(cells, this, TableId.Orders, 8);
        Buffs = new PartTable(cells, this, TableId.Buffs, 1);
        Passengers = new PartTable(cells, this, TableId.Passengers, 10);
        RallyTargets = new PartTable(cells, this, TableId.RallyTargets, 6);
    }

    public CachedColumns Units { get; }

    public PartTable Orders { get; }

    public PartTable Buffs { get; }

    public PartTable Passengers { get; }

    public PartTable RallyTargets { get; }

    /// <summary>The row of the unit with a tag; -1 if no row has it. If several have it, the last.</summary>
    public int RowOf(ulong tag)
    {
        if (!_isIndexed)
        {
            _index.Build(Units.Get<ulong>((int)UnitField.Tag));
            _isIndexed = true;
        }
        return _index.Find(tag);
    }

    /// <summary>How many parts of a kind each unit has.</summary>
    public ReadOnlySpan<int> PartCounts(TableId table) => Units.Get<int>(FirstCount + (int)table - 1);

    /// <summary>Forgets the values of the previous frame.</summary>
    public void Reset()
    {
        Units.Reset();
        _isIndexed = false;
        Orders.Reset();
        Buffs.Reset();
        Passengers.Reset();
        RallyTargets.Reset();
    }
}
