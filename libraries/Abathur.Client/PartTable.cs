using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>Parts of units, such as orders: a row for each, those of one unit in consecutive rows.</summary>
internal sealed class PartTable(UnitCells cells, UnitTables tables, TableId table, int columns)
{
    private int[] _offsets = [0];
    private bool _hasOffsets;

    public CachedColumns Columns { get; } = new(cells, table, columns);

    /// <summary>The rows that belong to a unit.</summary>
    public Range Of(int unit)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(unit);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(unit, tables.Units.Rows);
        if (!_hasOffsets) FindOffsets();
        return _offsets[unit].._offsets[unit + 1];
    }

    /// <summary>Forgets the values of the previous frame.</summary>
    public void Reset()
    {
        Columns.Reset();
        _hasOffsets = false;
    }

    private void FindOffsets()
    {
        var counts = tables.PartCounts(table);
        if (_offsets.Length <= counts.Length) _offsets = new int[Math.Max(counts.Length + 1, 2 * _offsets.Length)];
        for (var i = 0; i < counts.Length; i++) _offsets[i + 1] = _offsets[i] + counts[i];
        _hasOffsets = true;
    }
}
