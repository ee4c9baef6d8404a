using Abathur.Columns.Tables;

namespace Abathur.Columns.Decoding;

/// <summary>A table below units: applies the section of a frame, or none.</summary>
/// <param name="units">The field of units that it is for.</param>
internal sealed class ChildTableDecoder(FieldColumn units)
{
    private readonly ChangesReader _changes = new();
    private readonly GrowingList<int> _from = new();

    public ColumnsTable Table { get; } = new(ColumnsFormat.Tables[(int)units.Table]);

    /// <summary>The field of units that the table is for.</summary>
    public FieldColumn Field => units;

    public void Reset() => Table.Resize(0);

    /// <summary>Applies a frame. Call it after the units were applied.</summary>
    public void Apply(ref PayloadReader reader, UnitTableDecoder unitTable, bool hasSection)
    {
        Carry(ref reader, unitTable);
        Table.Predict();
        if (hasSection) _changes.Apply(ref reader, Table, []);
        Table.UpdateVelocity();
        for (var column = 0; column < Table.Schema.Predicted; column++)
        {
            var velocity = Table.Velocity(column);
            for (var i = 0; i < velocity.Length; i++)
            {
                if (_from[i] < 0) velocity[i] = 0;
            }
        }
    }

    private void Carry(ref PayloadReader reader, UnitTableDecoder unitTable)
    {
        var counts = unitTable.Table.Column(Field.Column);
        var child = Field.Column - ColumnsFormat.FirstCount;
        _from.Truncate(0);
        var old = 0;
        for (var row = 0; row < Math.Max(counts.Length, unitTable.OldRows); row++)
        {
            var before = row < unitTable.OldRows ? unitTable.OldCount(child, row) : 0;
            var now = row < counts.Length ? counts[row] : 0;
            if (now < 0 || now > Table.Schema.MaxRows - _from.Count)
            {
                reader.Throw($"units have more than {Table.Schema.MaxRows} {Field.Table}, or a negative number");
            }
            var kept = unitTable.Stays(row) ? before : 0;
            for (var i = 0; i < now; i++) _from.Add(i < kept ? old + i : -1);
            old += before;
        }
        Table.Rearrange(_from.Span);
    }
}
