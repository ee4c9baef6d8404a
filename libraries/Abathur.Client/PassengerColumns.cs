using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The passengers of units, a row for each. Those of one unit are in consecutive
/// rows. Valid as long as the frame.</summary>
public readonly struct PassengerColumns
{
    private readonly UnitColumns _units;

    internal PassengerColumns(UnitColumns units) => _units = units;

    /// <summary>Number of rows.</summary>
    public int Count => Columns.Rows;

    /// <summary>Tags of the passengers.</summary>
    public ReadOnlySpan<ulong> Tag => Columns.Get<ulong>(PassengerColumn.Tag);

    /// <summary>Type ids of the passengers, as in the game's data.</summary>
    public ReadOnlySpan<uint> UnitType => Columns.Get<uint>(PassengerColumn.UnitType);

    /// <summary>Points of health.</summary>
    public ReadOnlySpan<float> Health => Columns.GetFloats(PassengerColumn.Health);

    /// <summary>Points of health of an undamaged unit.</summary>
    public ReadOnlySpan<float> HealthMax => Columns.GetFloats(PassengerColumn.HealthMax);

    /// <summary>Points of shield.</summary>
    public ReadOnlySpan<float> Shield => Columns.GetFloats(PassengerColumn.Shield);

    /// <summary>Points of shield of an undamaged unit.</summary>
    public ReadOnlySpan<float> ShieldMax => Columns.GetFloats(PassengerColumn.ShieldMax);

    /// <summary>Points of energy.</summary>
    public ReadOnlySpan<float> Energy => Columns.GetFloats(PassengerColumn.Energy);

    /// <summary>Most points of energy.</summary>
    public ReadOnlySpan<float> EnergyMax => Columns.GetFloats(PassengerColumn.EnergyMax);

    private CachedColumns Columns => Table.Columns;

    private PartTable Table => _units.Tables.Passengers;

    /// <summary>The rows that belong to a unit.</summary>
    /// <param name="unit">Row of the unit in <see cref="UnitColumns"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such unit.</exception>
    public Range Of(int unit) => Table.Of(unit);
}
