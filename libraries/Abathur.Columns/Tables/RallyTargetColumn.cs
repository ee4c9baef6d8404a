namespace Abathur.Columns.Tables;

/// <summary>Columns of <see cref="TableId.RallyTargets"/>.</summary>
public static class RallyTargetColumn
{
    /// <summary>x of the point, in map cells. A float.</summary>
    public const int X = 0;

    /// <summary>y of the point, in map cells. A float.</summary>
    public const int Y = 1;

    /// <summary>Height of the point, in map cells. A float.</summary>
    public const int Z = 2;

    /// <summary>Tag of the target unit: a <c>ulong</c>; 0: a point.</summary>
    public const int Tag = 3;

    /// <summary>A bit for each column whose field the target has; bit 6 stands for the point.</summary>
    public const int Has = 4;

    /// <summary>Two bits for each column of floats: how the float is stored.</summary>
    public const int Kinds = 5;
}
