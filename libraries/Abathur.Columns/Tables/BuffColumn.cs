namespace Abathur.Columns.Tables;

/// <summary>The column of <see cref="TableId.Buffs"/>.</summary>
public static class BuffColumn
{
    /// <summary>Buff id, as in the game's data.</summary>
    public const int BuffId = 0;
}
