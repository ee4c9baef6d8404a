using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>Parts of units, such as orders: a row for each, those of one unit in consecutive rows. Valid until the next frame.</summary>
public abstract class PartColumns
{
    private readonly UnitColumns _units;
    private readonly TableId _table;
    private int[] _offsets = [0];
    private bool _hasOffsets;

    private protected PartColumns(UnitCells cells, UnitColumns units, TableId table, int columns)
    {
        (_units, _table) = (units, table);
        Columns = new CachedColumns(cells, table, columns);
    }

    /// <summary>Number of rows.</summary>
    public int Count => Columns.Rows;

    private protected CachedColumns Columns { get; }

    /// <summary>The rows that belong to a unit.</summary>
    /// <param name="unit">Row of the unit in <see cref="UnitColumns"/>.</param>
    public Range Of(int unit)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(unit);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(unit, _units.Count);
        if (!_hasOffsets) FindOffsets();
        return _offsets[unit].._offsets[unit + 1];
    }

    internal void Reset()
    {
        Columns.Reset();
        _hasOffsets = false;
    }

    private void FindOffsets()
    {
        var counts = _units.PartCounts(_table);
        if (_offsets.Length <= counts.Length) _offsets = new int[Math.Max(counts.Length + 1, 2 * _offsets.Length)];
        for (var i = 0; i < counts.Length; i++) _offsets[i + 1] = _offsets[i] + counts[i];
        _hasOffsets = true;
    }
}
