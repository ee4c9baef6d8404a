namespace Abathur.Columns.Tables;

/// <summary>A table of a decoder: columns of 64-bit integers, with the meanings of <c>docs/columns.md</c>.</summary>
public sealed class ColumnsTable
{
    private readonly long[][] _cells;
    private readonly long[][] _velocity;
    private readonly long[][] _before;
    private long[] _old = [];
    private int _capacity;

    internal ColumnsTable(TableSchema schema)
    {
        Schema = schema;
        _cells = NewColumns(schema.Columns);
        _velocity = NewColumns(schema.Predicted);
        _before = NewColumns(schema.Predicted);
    }

    /// <summary>Number of rows.</summary>
    public int Rows { get; private set; }

    /// <summary>Number of columns.</summary>
    public int Columns => Schema.Columns;

    internal TableSchema Schema { get; }

    /// <summary>The cells of a column, one a row. Valid until the next frame.</summary>
    /// <param name="column">One of <see cref="UnitColumn"/>, <see cref="OrderColumn"/>, <see cref="BuffColumn"/>,
    /// <see cref="PassengerColumn"/>, <see cref="RallyTargetColumn"/>.</param>
    public ReadOnlySpan<long> Column(int column) => _cells[column].AsSpan(0, Rows);

    /// <summary>The value of a cell that is a float.</summary>
    /// <param name="column">A column of floats, as of <see cref="Column"/>.</param>
    /// <param name="row">The row, from 0.</param>
    public float GetFloat(int column, int row) => BitConverter.UInt32BitsToSingle(FloatBits(column, row));

    internal uint FloatBits(int column, int row) => FloatCell.ToBits(_cells[column][row], Kind(column, row));

    internal int Kind(int column, int row) => (int)(_cells[Schema.Kinds][row] >> (2 * column)) & 3;

    internal Span<long> Cells(int column) => _cells[column].AsSpan(0, Rows);

    internal Span<long> Velocity(int column) => _velocity[column].AsSpan(0, Rows);

    /// <summary>Cells of a predicted column before <see cref="Predict"/>.</summary>
    internal Span<long> Before(int column) => _before[column].AsSpan(0, Rows);

    /// <summary>Sets the number of rows; new ones are zeros.</summary>
    internal void Resize(int rows)
    {
        if (rows > _capacity) Grow(Math.Min(Math.Max(rows, 2 * _capacity), Schema.MaxRows));
        if (rows > Rows)
        {
            foreach (var column in _cells) column.AsSpan(Rows, rows - Rows).Clear();
            foreach (var column in _velocity) column.AsSpan(Rows, rows - Rows).Clear();
        }
        Rows = rows;
    }

    internal void ClearRow(int row)
    {
        foreach (var column in _cells) column[row] = 0;
        foreach (var column in _velocity) column[row] = 0;
    }

    /// <summary>Rearranges the rows: row i becomes the old row <c>from[i]</c>, or zeros.</summary>
    internal void Rearrange(ReadOnlySpan<int> from)
    {
        var before = Rows;
        Resize(Math.Max(from.Length, before));
        var old = _old.AsSpan();
        if (old.Length < before) old = _old = new long[_capacity];
        foreach (var column in _cells) Rearrange(column, from, old[..before]);
        foreach (var column in _velocity) Rearrange(column, from, old[..before]);
        Rows = from.Length;
    }

    private static void Rearrange(long[] column, ReadOnlySpan<int> from, Span<long> old)
    {
        column.AsSpan(0, old.Length).CopyTo(old);
        for (var i = 0; i < from.Length; i++) column[i] = from[i] < 0 ? 0 : old[from[i]];
    }

    /// <summary>Adds the velocities to the predicted cells.</summary>
    internal void Predict()
    {
        for (var c = 0; c < Schema.Predicted; c++)
        {
            var cells = Cells(c);
            var velocity = Velocity(c);
            cells.CopyTo(_before[c]);
            for (var i = 0; i < cells.Length; i++) cells[i] += velocity[i];
        }
    }

    /// <summary>Sets the velocities to the changes since <see cref="Predict"/>.</summary>
    internal void UpdateVelocity()
    {
        for (var c = 0; c < Schema.Predicted; c++)
        {
            var cells = Cells(c);
            var velocity = Velocity(c);
            var before = Before(c);
            for (var i = 0; i < cells.Length; i++) velocity[i] = cells[i] - before[i];
        }
    }

    private void Grow(int capacity)
    {
        _capacity = capacity;
        foreach (var columns in (ReadOnlySpan<long[][]>)[_cells, _velocity, _before])
        {
            for (var c = 0; c < columns.Length; c++) Array.Resize(ref columns[c], capacity);
        }
    }

    private static long[][] NewColumns(int count) => [.. Enumerable.Range(0, count).Select(_ => Array.Empty<long>())];
}
