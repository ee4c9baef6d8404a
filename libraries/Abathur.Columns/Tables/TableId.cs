namespace Abathur.Columns.Tables;

/// <summary>The tables, in the order of their sections.</summary>
public enum TableId
{
    /// <summary>One row per unit.</summary>
    Units,

    /// <summary>One row per order of a unit.</summary>
    Orders,

    /// <summary>One row per buff of a unit.</summary>
    Buffs,

    /// <summary>One row per passenger of a unit.</summary>
    Passengers,

    /// <summary>One row per rally target of a unit.</summary>
    RallyTargets,
}
