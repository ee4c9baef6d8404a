using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The rally targets of units: a point, and a tag if the target is a unit.</summary>
public sealed class RallyTargetColumns : PartColumns
{
    internal RallyTargetColumns(UnitCells cells, UnitColumns units) : base(cells, units, TableId.RallyTargets, 6) { }

    public ReadOnlySpan<float> X => Columns.GetFloats(0);

    public ReadOnlySpan<float> Y => Columns.GetFloats(1);

    public ReadOnlySpan<float> Z => Columns.GetFloats(2);

    /// <summary>0 for a point.</summary>
    public ReadOnlySpan<ulong> Tag => Columns.Get<ulong>(3);
}
