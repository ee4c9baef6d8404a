using System.Numerics;

namespace Abathur.Sync.Encodings.Columns;

/// <summary>Reads the changes of a table and adds them to its cells.</summary>
internal sealed class ChangesReader
{
    private const int MaxColumns = 64;
    private readonly int[] _counts = new int[MaxColumns];
    private long[] _values = [];

    /// <summary>Reads changes.</summary>
    /// <param name="reader">Where they begin.</param>
    /// <param name="table">What they are added to.</param>
    /// <param name="allowed">A bit for each row that may change.</param>
    public void Apply(scoped ref PayloadReader reader, ColumnsTable table, ReadOnlySpan<byte> allowed)
    {
        var count = reader.ReadByte();
        if (count > table.Columns) reader.Throw($"{count} columns change; the table has {table.Columns}");
        var columns = reader.ReadBytes(count);
        var widths = ReadWidths(ref reader, count);
        var masks = reader.ReadBytes((long)count * allowed.Length);
        for (var k = 0; k < count; k++)
        {
            if (columns[k] >= table.Columns || (k > 0 && columns[k] <= columns[k - 1])) reader.Throw("columns that change do not ascend");
            var mask = masks.Slice(k * allowed.Length, allowed.Length);
            for (var i = 0; i < mask.Length; i++)
            {
                if ((mask[i] & ~allowed[i]) != 0) reader.Throw("a row changes that cannot");
            }
            _counts[k] = PlanesReader.Count(mask);
        }
        var planes = new PlanesReader(ref reader, _counts.AsSpan(0, count), widths);
        for (var k = 0; k < count; k++)
        {
            var values = Room(_counts[k]);
            planes.Read(k, values);
            Add(table.Cells(columns[k]), masks.Slice(k * allowed.Length, allowed.Length), values);
        }
    }

    /// <summary>Reads the cells of new rows and returns the reader of their planes.</summary>
    public PlanesReader ReadCells(scoped ref PayloadReader reader, int columns, int rows)
    {
        var widths = ReadWidths(ref reader, columns);
        var counts = _counts.AsSpan(0, columns);
        counts.Fill(rows);
        return new PlanesReader(ref reader, counts, widths);
    }

    /// <summary>Room for so many values; overwritten by what comes next.</summary>
    public Span<long> Room(int count)
    {
        if (_values.Length < count) _values = new long[Math.Max(count, 2 * _values.Length)];
        return _values.AsSpan(0, count);
    }

    private static ReadOnlySpan<byte> ReadWidths(scoped ref PayloadReader reader, int count)
    {
        var widths = reader.ReadBytes(count);
        if (widths.ContainsAnyExceptInRange((byte)0, (byte)8)) reader.Throw("a width is more than 8");
        return widths;
    }

    private static void Add(Span<long> cells, ReadOnlySpan<byte> mask, ReadOnlySpan<long> values)
    {
        var next = 0;
        for (var i = 0; i < mask.Length; i++)
        {
            for (var bits = (uint)mask[i]; bits != 0; bits &= bits - 1) cells[(8 * i) + BitOperations.TrailingZeroCount(bits)] += values[next++];
        }
    }
}
