using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The passengers of units.</summary>
public sealed class PassengerColumns : PartColumns
{
    internal PassengerColumns(UnitCells cells, UnitColumns units) : base(cells, units, TableId.Passengers, 10) { }

    public ReadOnlySpan<ulong> Tag => Columns.Get<ulong>(7);

    public ReadOnlySpan<uint> UnitType => Columns.Get<uint>(6);

    public ReadOnlySpan<float> Health => Columns.GetFloats(0);

    public ReadOnlySpan<float> HealthMax => Columns.GetFloats(1);

    public ReadOnlySpan<float> Shield => Columns.GetFloats(2);

    public ReadOnlySpan<float> ShieldMax => Columns.GetFloats(3);

    public ReadOnlySpan<float> Energy => Columns.GetFloats(4);

    public ReadOnlySpan<float> EnergyMax => Columns.GetFloats(5);
}
