using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The buffs on units, a row for each. Those of one unit are in consecutive
/// rows. Valid as long as the frame.</summary>
public readonly struct BuffColumns
{
    private readonly UnitColumns _units;

    internal BuffColumns(UnitColumns units) => _units = units;

    /// <summary>Number of rows.</summary>
    public int Count => Columns.Rows;

    /// <summary>Buff ids, as in the game's data.</summary>
    public ReadOnlySpan<uint> BuffId => Columns.Get<uint>(BuffColumn.BuffId);

    private CachedColumns Columns => Table.Columns;

    private PartTable Table => _units.Tables.Buffs;

    /// <summary>The rows that belong to a unit.</summary>
    /// <param name="unit">Row of the unit in <see cref="UnitColumns"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such unit.</exception>
    public Range Of(int unit) => Table.Of(unit);
}
