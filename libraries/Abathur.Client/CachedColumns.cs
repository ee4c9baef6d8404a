using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The columns of one table as typed arrays, each filled when it is first read after a frame. The arrays are used again.</summary>
internal sealed class CachedColumns(UnitCells cells, TableId table, int columns)
{
    private readonly Array?[] _arrays = new Array?[columns];
    private readonly int[] _filled = new int[columns];
    private int _frame;

    /// <summary>Number of rows.</summary>
    public int Rows { get; private set; }

    /// <summary>Forgets the values of the previous frame.</summary>
    public void Reset()
    {
        _frame++;
        Rows = cells.Rows(table);
    }

    /// <summary>A column of integers or truth values.</summary>
    public ReadOnlySpan<T> Get<T>(int column) where T : struct
    {
        if (_filled[column] == _frame) return ((T[])_arrays[column]!).AsSpan(0, Rows);
        var values = Room<T>(column);
        cells.Read(table, column, values);
        _filled[column] = _frame;
        return values;
    }

    /// <summary>A column of floats.</summary>
    public ReadOnlySpan<float> GetFloats(int column)
    {
        if (_filled[column] == _frame) return ((float[])_arrays[column]!).AsSpan(0, Rows);
        var values = Room<float>(column);
        cells.ReadFloats(table, column, values);
        _filled[column] = _frame;
        return values;
    }

    /// <summary>A column of integers in the array that holds it, which may be longer.</summary>
    public T[] GetArray<T>(int column) where T : struct
    {
        Get<T>(column);
        return (T[]?)_arrays[column] ?? [];
    }

    private Span<T> Room<T>(int column)
    {
        var array = (T[]?)_arrays[column];
        if (array is null || array.Length < Rows) _arrays[column] = array = new T[Math.Max(Rows, 2 * (array?.Length ?? 0))];
        return array.AsSpan(0, Rows);
    }
}
