namespace Abathur.Columns.Tables;

/// <summary>Columns of <see cref="TableId.Passengers"/>.</summary>
public static class PassengerColumn
{
    /// <summary>Points of health. A float.</summary>
    public const int Health = 0;

    /// <summary>Points of health of an undamaged unit. A float.</summary>
    public const int HealthMax = 1;

    /// <summary>Points of shield. A float.</summary>
    public const int Shield = 2;

    /// <summary>Points of shield of an undamaged unit. A float.</summary>
    public const int ShieldMax = 3;

    /// <summary>Points of energy. A float.</summary>
    public const int Energy = 4;

    /// <summary>Most points of energy. A float.</summary>
    public const int EnergyMax = 5;

    /// <summary>Type id, as in the game's data.</summary>
    public const int UnitType = 6;

    /// <summary>Identifies the unit: a <c>ulong</c>.</summary>
    public const int Tag = 7;

    /// <summary>A bit for each column whose field the passenger has.</summary>
    public const int Has = 8;

    /// <summary>Two bits for each column of floats: how the float is stored.</summary>
    public const int Kinds = 9;
}
