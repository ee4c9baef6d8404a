using System.Runtime.CompilerServices;
using Abathur.Columns.Tables;
using Abathur.Protobuf.Wire;

namespace Abathur.Columns.Encoding;

/// <summary>The values in a table's section, one list per column, and their rows.</summary>
internal sealed class ColumnValues
{
    private readonly int _columns;
    private readonly int[] _counts;
    private readonly ulong[] _all;
    private readonly int[] _widths;
    private readonly GrowingList<int> _rows = new();
    private ulong[] _values = [];
    private int[] _places = [];
    private int _capacity;

    public ColumnValues(int columns)
    {
        _columns = columns;
        _counts = new int[columns];
        _all = new ulong[columns];
        _widths = new int[columns];
    }

    /// <summary>Whether there are no values.</summary>
    public bool IsEmpty => _rows.Count == 0;

    /// <summary>Discards all values, and reserves memory for this number of rows.</summary>
    public void Begin(int rows)
    {
        if (rows > _capacity)
        {
            _capacity = Math.Max(rows, 2 * _capacity);
            _values = new ulong[_columns * _capacity];
            _places = new int[_columns * _capacity];
        }
        _rows.Truncate(0);
        _counts.AsSpan().Clear();
        _all.AsSpan().Clear();
    }

    /// <summary>Adds a value; rows ascend.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(int column, int row, long value)
    {
        if (_rows.Count == 0 || _rows[_rows.Count - 1] != row) _rows.Add(row);
        var coded = ZigZag.Encode(value);
        var next = (column * _capacity) + _counts[column]++;
        _values[next] = coded;
        _places[next] = _rows.Count - 1;
        _all[column] |= coded;
    }

    /// <summary>Writes the rows that have values; the columns and their widths; for each column which of the rows; the planes.</summary>
    public void WriteChanges(PayloadWriter output)
    {
        output.WriteCount(_rows.Count);
        output.WriteGaps(_rows.Span);
        WriteMask(output, WriteColumns(output));
        WritePlanes(output);
    }

    /// <summary>Writes the columns in which not all values are 0, with a value for each row: with their widths, and the planes.</summary>
    public void WriteCells(PayloadWriter output)
    {
        for (var column = 0; column < _columns; column++)
        {
            if (_all[column] == 0) _counts[column] = 0;
        }
        WriteColumns(output);
        WritePlanes(output);
    }

    private int WriteColumns(PayloadWriter output)
    {
        var columns = 0;
        foreach (var count in _counts) columns += count > 0 ? 1 : 0;
        output.WriteByte((byte)columns);
        for (var column = 0; column < _columns; column++)
        {
            if (_counts[column] == 0) continue;
            var code = ColumnsFormat.WidthCode(_all[column]);
            _widths[column] = 1 << code;
            output.WriteByte((byte)(column | (code << ColumnsFormat.WidthShift)));
        }
        return columns;
    }

    private void WriteMask(PayloadWriter output, int columns)
    {
        var mask = output.Take((int)((((long)columns * _rows.Count) + 7) / 8));
        mask.Clear();
        var first = 0L;
        for (var column = 0; column < _columns; column++)
        {
            if (_counts[column] == 0) continue;
            foreach (var place in _places.AsSpan(column * _capacity, _counts[column]))
            {
                var bit = first + place;
                mask[(int)(bit >> 3)] |= (byte)(1 << (int)(bit & 7));
            }
            first += _rows.Count;
        }
    }

    private void WritePlanes(PayloadWriter output)
    {
        for (var plane = 0; plane < 8; plane++)
        {
            for (var column = 0; column < _columns; column++)
            {
                if (_counts[column] == 0 || _widths[column] <= plane) continue;
                var values = _values.AsSpan(column * _capacity, _counts[column]);
                var bytes = output.Take(values.Length);
                for (var i = 0; i < values.Length; i++) bytes[i] = (byte)(values[i] >> (8 * plane));
            }
        }
    }
}
