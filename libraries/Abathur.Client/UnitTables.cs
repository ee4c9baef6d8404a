using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The columns of units and of their parts, whose memory is used again for each frame.</summary>
internal sealed class UnitTables
{
    private readonly TagIndex _index = new();
    private bool _isIndexed;

    public UnitTables(UnitCells cells, int version)
    {
        Version = version;
        Units = new CachedColumns(cells, TableId.Units, UnitColumn.RallyTargetCount + 1);
        Orders = new PartTable(cells, this, TableId.Orders, OrderColumn.Kinds + 1);
        Buffs = new PartTable(cells, this, TableId.Buffs, BuffColumn.BuffId + 1);
        Passengers = new PartTable(cells, this, TableId.Passengers, PassengerColumn.Kinds + 1);
        RallyTargets = new PartTable(cells, this, TableId.RallyTargets, RallyTargetColumn.Kinds + 1);
    }

    /// <summary>That of the frame; columns and units of another version are not valid any more.</summary>
    public int Version { get; set; }

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
            _index.Build(Units.Get<ulong>(UnitColumn.Tag));
            _isIndexed = true;
        }
        return _index.Find(tag);
    }

    /// <summary>How many parts of a kind each unit has.</summary>
    public ReadOnlySpan<int> PartCounts(TableId table) => Units.Get<int>(UnitColumn.OrderCount + (int)table - 1);

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
