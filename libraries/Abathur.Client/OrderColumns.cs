using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The orders of units: an ability, and the unit or the point that it is for.</summary>
public sealed class OrderColumns : PartColumns
{
    internal OrderColumns(UnitCells cells, UnitColumns units) : base(cells, units, TableId.Orders, 8) { }

    public ReadOnlySpan<uint> AbilityId => Columns.Get<uint>(4);

    /// <summary>0 for an order without a target unit.</summary>
    public ReadOnlySpan<ulong> TargetUnitTag => Columns.Get<ulong>(5);

    public ReadOnlySpan<float> TargetX => Columns.GetFloats(1);

    public ReadOnlySpan<float> TargetY => Columns.GetFloats(2);

    public ReadOnlySpan<float> TargetZ => Columns.GetFloats(3);

    /// <summary>0 to 1.</summary>
    public ReadOnlySpan<float> Progress => Columns.GetFloats(0);
}
