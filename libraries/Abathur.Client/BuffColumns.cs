using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The buffs on units.</summary>
public sealed class BuffColumns : PartColumns
{
    internal BuffColumns(UnitCells cells, UnitColumns units) : base(cells, units, TableId.Buffs, 1) { }

    public ReadOnlySpan<uint> BuffId => Columns.Get<uint>(0);
}
