using System.Runtime.CompilerServices;

namespace Abathur.Sync.Encodings.Columns;

/// <summary>The values that a table's section has, a list a column, and which rows they are for.</summary>
internal sealed class ColumnValues
{
    private readonly int _columns;
    private readonly int[] _counts;
    private readonly ulong[] _all;
    private ulong[] _values = [];
    private byte[] _masks = [];
    private int _capacity;
    private int _maskBytes;

    public ColumnValues(int columns)
    {
        _columns = columns;
        _counts = new int[columns];
        _all = new ulong[columns];
    }

    /// <summary>Whether there is none.</summary>
    public bool IsEmpty { get; private set; } = true;

    /// <summary>Forgets all values, and makes room for so many rows.</summary>
    public void Begin(int rows)
    {
        if (rows > _capacity)
        {
            _capacity = Math.Max(rows, 2 * _capacity);
            _values = new ulong[_columns * _capacity];
            _masks = new byte[_columns * ((_capacity + 7) / 8)];
        }
        _maskBytes = (rows + 7) / 8;
        if (!IsEmpty || _masks.Length > 0) _masks.AsSpan(0, _columns * _maskBytes).Clear();
        _counts.AsSpan().Clear();
        _all.AsSpan().Clear();
        IsEmpty = true;
    }

    /// <summary>Adds a value; rows ascend.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(int column, int row, long value)
    {
        var coded = ColumnsFormat.ZigZag(value);
        _values[(column * _capacity) + _counts[column]++] = coded;
        _all[column] |= coded;
        _masks[(column * _maskBytes) + (row >> 3)] |= (byte)(1 << (row & 7));
        IsEmpty = false;
    }

    /// <summary>Writes the columns that have values: which, their widths, their masks, their planes.</summary>
    public void WriteChanges(PayloadWriter output)
    {
        var columns = 0;
        foreach (var count in _counts) columns += count > 0 ? 1 : 0;
        output.WriteByte((byte)columns);
        for (var column = 0; column < _columns; column++)
        {
            if (_counts[column] > 0) output.WriteByte((byte)column);
        }
        for (var column = 0; column < _columns; column++)
        {
            if (_counts[column] > 0) output.WriteByte((byte)ColumnsFormat.Width(_all[column]));
        }
        for (var column = 0; column < _columns; column++)
        {
            if (_counts[column] > 0) output.Write(_masks.AsSpan(column * _maskBytes, _maskBytes));
        }
        WritePlanes(output);
    }

    /// <summary>Writes all columns without masks: their widths, their planes.</summary>
    public void WriteCells(PayloadWriter output)
    {
        for (var column = 0; column < _columns; column++) output.WriteByte((byte)ColumnsFormat.Width(_all[column]));
        WritePlanes(output);
    }

    private void WritePlanes(PayloadWriter output)
    {
        for (var plane = 0; plane < 8; plane++)
        {
            for (var column = 0; column < _columns; column++)
            {
                if (_all[column] >> (8 * plane) == 0) continue;
                var values = _values.AsSpan(column * _capacity, _counts[column]);
                var bytes = output.Take(values.Length);
                for (var i = 0; i < values.Length; i++) bytes[i] = (byte)(values[i] >> (8 * plane));
            }
        }
    }
}
