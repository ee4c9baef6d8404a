using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The orders of units, a row for each: an ability, and the unit or the point that it is for. Those of one unit are in consecutive
/// rows. Valid as long as the frame.</summary>
public readonly struct OrderColumns
{
    private readonly UnitColumns _units;

    internal OrderColumns(UnitColumns units) => _units = units;

    /// <summary>Number of rows.</summary>
    public int Count => Columns.Rows;

    /// <summary>Ability ids, as in the game's data.</summary>
    public ReadOnlySpan<uint> AbilityId => Columns.Get<uint>(OrderColumn.AbilityId);

    /// <summary>Tags of target units; 0 for an order without one.</summary>
    public ReadOnlySpan<ulong> TargetUnitTag => Columns.Get<ulong>(OrderColumn.TargetUnitTag);

    /// <summary>x of target points, in map cells.</summary>
    public ReadOnlySpan<float> TargetX => Columns.GetFloats(OrderColumn.TargetX);

    /// <summary>y of target points, in map cells.</summary>
    public ReadOnlySpan<float> TargetY => Columns.GetFloats(OrderColumn.TargetY);

    /// <summary>Height of target points, in map cells.</summary>
    public ReadOnlySpan<float> TargetZ => Columns.GetFloats(OrderColumn.TargetZ);

    /// <summary>0 to 1.</summary>
    public ReadOnlySpan<float> Progress => Columns.GetFloats(OrderColumn.Progress);

    private CachedColumns Columns => Table.Columns;

    private PartTable Table => _units.Tables.Orders;

    /// <summary>The rows that belong to a unit.</summary>
    /// <param name="unit">Row of the unit in <see cref="UnitColumns"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such unit.</exception>
    public Range Of(int unit) => Table.Of(unit);
}
