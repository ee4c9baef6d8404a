using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The rally targets of units, a row for each: a point, and a tag if the target is a unit. Those of one unit are in consecutive
/// rows. Valid as long as the frame.</summary>
public readonly struct RallyTargetColumns
{
    private readonly UnitColumns _units;

    internal RallyTargetColumns(UnitColumns units) => _units = units;

    /// <summary>Number of rows.</summary>
    public int Count => Columns.Rows;

    /// <summary>x of the points, in map cells.</summary>
    public ReadOnlySpan<float> X => Columns.GetFloats(RallyTargetColumn.X);

    /// <summary>y of the points, in map cells.</summary>
    public ReadOnlySpan<float> Y => Columns.GetFloats(RallyTargetColumn.Y);

    /// <summary>Height of the points, in map cells.</summary>
    public ReadOnlySpan<float> Z => Columns.GetFloats(RallyTargetColumn.Z);

    /// <summary>Tags of target units; 0 for a point.</summary>
    public ReadOnlySpan<ulong> Tag => Columns.Get<ulong>(RallyTargetColumn.Tag);

    private CachedColumns Columns => Table.Columns;

    private PartTable Table => _units.Tables.RallyTargets;

    /// <summary>The rows that belong to a unit.</summary>
    /// <param name="unit">Row of the unit in <see cref="UnitColumns"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such unit.</exception>
    public Range Of(int unit) => Table.Of(unit);
}
