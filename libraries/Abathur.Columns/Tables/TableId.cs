namespace Abathur.Columns.Tables;

/// <summary>The tables, in the order of their sections.</summary>
public enum TableId
{
    /// <summary>One row a unit.</summary>
    Units,

    /// <summary>One row an order of a unit.</summary>
    Orders,

    /// <summary>One row a buff of a unit.</summary>
    Buffs,

    /// <summary>One row a passenger of a unit.</summary>
    Passengers,

    /// <summary>One row a rally target of a unit.</summary>
    RallyTargets,
}
