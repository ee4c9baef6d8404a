namespace Abathur.Columns.Encoding;

/// <summary>A growing matrix of 64-bit cells, row by row in one array.</summary>
internal sealed class CellRows(int stride)
{
    private long[] _cells = new long[stride * 16];

    public int Count { get; private set; }

    public Span<long> this[int row] => _cells.AsSpan(row * stride, stride);

    /// <summary>Consecutive rows.</summary>
    public Span<long> Slice(int first, int count) => _cells.AsSpan(first * stride, count * stride);

    /// <summary>Adds a row of zeros and returns its number.</summary>
    public int Add()
    {
        Resize(Count + 1);
        return Count - 1;
    }

    /// <summary>Sets the number of rows; new ones are zeros.</summary>
    public void Resize(int count)
    {
        if (count * stride > _cells.Length) Array.Resize(ref _cells, Math.Max(count * stride, 2 * _cells.Length));
        if (count > Count) _cells.AsSpan(Count * stride, (count - Count) * stride).Clear();
        Count = count;
    }
}
