using Abathur.Protobuf.Wire;

namespace Abathur.Columns.Decoding;

/// <summary>Reads planes: the first bytes of all values column by column, then the second ones, and so on.</summary>
internal readonly ref struct PlanesReader
{
    private readonly ReadOnlySpan<byte> _planes;
    private readonly ReadOnlySpan<int> _counts;
    private readonly ReadOnlySpan<byte> _widths;

    /// <param name="reader">Where the planes begin.</param>
    /// <param name="counts">Values of each column.</param>
    /// <param name="widths">Bytes of a value of each column.</param>
    public PlanesReader(scoped ref PayloadReader reader, ReadOnlySpan<int> counts, ReadOnlySpan<byte> widths)
    {
        var total = 0L;
        for (var i = 0; i < counts.Length; i++) total += (long)counts[i] * widths[i];
        _planes = reader.ReadBytes(total);
        _counts = counts;
        _widths = widths;
    }

    /// <summary>Reads the values of one column, which are zigzag-encoded.</summary>
    public void Read(int column, Span<long> values)
    {
        values.Clear();
        var offset = 0;
        for (var plane = 0; plane < _widths[column]; plane++)
        {
            for (var each = 0; each < _widths.Length; each++)
            {
                if (_widths[each] <= plane) continue;
                if (each == column)
                {
                    var bytes = _planes.Slice(offset, _counts[each]);
                    for (var i = 0; i < bytes.Length; i++) values[i] |= (long)bytes[i] << (8 * plane);
                }
                offset += _counts[each];
            }
        }
        foreach (ref var value in values) value = ZigZag.Decode((ulong)value);
    }
}
