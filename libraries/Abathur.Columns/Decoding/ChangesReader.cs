using Abathur.Columns.Tables;

namespace Abathur.Columns.Decoding;

/// <summary>Reads the changes of a table and adds them to its cells.</summary>
internal sealed class ChangesReader
{
    private const int MaxColumns = 64;
    private const int ColumnMask = (1 << ColumnsFormat.WidthShift) - 1;
    private readonly int[] _counts = new int[MaxColumns];
    private readonly int[] _columns = new int[MaxColumns];
    private readonly byte[] _widths = new byte[MaxColumns];
    private int[] _rows = [];
    private int[] _places = [];
    private long[] _values = [];

    /// <summary>Reads changes.</summary>
    /// <param name="reader">Where they begin.</param>
    /// <param name="table">The table to change.</param>
    /// <param name="stays">Whether each row may change; empty: all may.</param>
    public void Apply(scoped ref PayloadReader reader, ColumnsTable table, scoped ReadOnlySpan<bool> stays)
    {
        var changed = reader.ReadCount(table.Rows, "rows that change");
        if (_rows.Length < changed) _rows = new int[Math.Max(changed, 2 * _rows.Length)];
        var rows = _rows.AsSpan(0, changed);
        reader.ReadGaps(rows, table.Rows, "rows that change");
        if (!stays.IsEmpty)
        {
            foreach (var row in rows) if (!stays[row]) reader.Throw($"row {row} changes, which is free or new");
        }
        var count = ReadColumns(ref reader, table.Columns);
        var mask = reader.ReadBytes((((long)count * changed) + 7) / 8);
        for (var k = 0; k < count; k++) _counts[k] = Places(mask, (long)k * changed, changed).Length;
        var planes = new PlanesReader(ref reader, _counts.AsSpan(0, count), _widths.AsSpan(0, count));
        for (var k = 0; k < count; k++)
        {
            var values = Room(_counts[k]);
            planes.Read(k, values);
            var places = Places(mask, (long)k * changed, changed);
            var cells = table.Cells(_columns[k]);
            for (var i = 0; i < places.Length; i++) cells[rows[places[i]]] += values[i];
        }
    }

    /// <summary>Reads the cells of new rows, which are zeros, as they are in the frame.</summary>
    public void ReadCells(scoped ref PayloadReader reader, ColumnsTable table, scoped ReadOnlySpan<int> rows)
    {
        var count = ReadColumns(ref reader, table.Columns);
        _counts.AsSpan(0, count).Fill(rows.Length);
        var planes = new PlanesReader(ref reader, _counts.AsSpan(0, count), _widths.AsSpan(0, count));
        var values = Room(rows.Length);
        for (var k = 0; k < count; k++)
        {
            planes.Read(k, values);
            var cells = table.Cells(_columns[k]);
            for (var i = 0; i < rows.Length; i++) cells[rows[i]] = values[i];
        }
    }

    private Span<long> Room(int count)
    {
        if (_values.Length < count) _values = new long[Math.Max(count, 2 * _values.Length)];
        return _values.AsSpan(0, count);
    }

    private int ReadColumns(scoped ref PayloadReader reader, int columns)
    {
        var count = reader.ReadByte();
        if (count > columns) reader.Throw($"{count} columns change; the table has {columns}");
        var last = -1;
        for (var k = 0; k < count; k++)
        {
            var code = reader.ReadByte();
            (_columns[k], _widths[k]) = (code & ColumnMask, (byte)(1 << (code >> ColumnsFormat.WidthShift)));
            if (_columns[k] >= columns || _columns[k] <= last) reader.Throw("columns that change do not ascend");
            last = _columns[k];
        }
        return count;
    }

    /// <summary>Which of <paramref name="count"/> bits are set.</summary>
    private ReadOnlySpan<int> Places(ReadOnlySpan<byte> mask, long first, int count)
    {
        if (_places.Length < count) _places = new int[Math.Max(count, 2 * _places.Length)];
        var found = 0;
        for (var i = 0; i < count; i++)
        {
            var bit = first + i;
            // Branch-free: about every second bit is set.
            _places[found] = i;
            found += mask[(int)(bit >> 3)] >> (int)(bit & 7) & 1;
        }
        return _places.AsSpan(0, found);
    }
}
