namespace Abathur.Columns.Tables;

/// <summary>Columns of <see cref="TableId.Orders"/>.</summary>
public static class OrderColumn
{
    /// <summary>0 to 1. A float.</summary>
    public const int Progress = 0;

    /// <summary>x of the target point, in map cells. A float.</summary>
    public const int TargetX = 1;

    /// <summary>y of the target point, in map cells. A float.</summary>
    public const int TargetY = 2;

    /// <summary>Height of the target point, in map cells. A float.</summary>
    public const int TargetZ = 3;

    /// <summary>Ability id, as in the game's data.</summary>
    public const int AbilityId = 4;

    /// <summary>Tag of the target unit: a <c>ulong</c>; 0: none.</summary>
    public const int TargetUnitTag = 5;

    /// <summary>A bit for each column whose field the order has; bit 8 stands for the target point.</summary>
    public const int Has = 6;

    /// <summary>Two bits for each column of floats: how the float is stored.</summary>
    public const int Kinds = 7;
}
