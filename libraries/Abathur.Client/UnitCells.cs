using System.Runtime.CompilerServices;
using Abathur.Columns;
using Abathur.Columns.Tables;

namespace Abathur.Client;

/// <summary>The cells of units and their parts, whether they were decoded from columns or parsed from a message.</summary>
internal sealed class UnitCells(ColumnsDecoder? decoder)
{
    private readonly ObservationTables _parsed = new();
    private int[] _rows = [];
    private bool _isDecoded;
    private bool _hasGaps;

    /// <summary>Number of units.</summary>
    public int Units { get; private set; }

    /// <summary>Uses the tables of the decoder, as they are now.</summary>
    public void UseDecoder()
    {
        _isDecoded = true;
        var isUsed = decoder!.IsUsed;
        _hasGaps = isUsed.Contains(false);
        Units = isUsed.Length;
        if (!_hasGaps) return;
        if (_rows.Length < isUsed.Length) _rows = new int[Math.Max(isUsed.Length, 2 * _rows.Length)];
        Units = 0;
        for (var row = 0; row < isUsed.Length; row++)
        {
            if (isUsed[row]) _rows[Units++] = row;
        }
    }

    /// <summary>Parses the units of an observation.</summary>
    /// <exception cref="ProtocolException">It is not a message.</exception>
    public void Parse(ReadOnlySpan<byte> observation)
    {
        (_isDecoded, _hasGaps) = (false, false);
        try
        {
            _parsed.Read(observation);
        }
        catch (InvalidDataException e)
        {
            throw new ProtocolException($"the observation cannot be parsed: {e.Message}", e);
        }
        Units = _parsed.Rows(TableId.Units);
    }

    /// <summary>Number of units, or of their parts in another table.</summary>
    public int Rows(TableId table) =>
        table == TableId.Units ? Units : _isDecoded ? decoder!.Table(table).Rows : _parsed.Rows(table);

    /// <summary>Reads a column of integers.</summary>
    public void Read<T>(TableId table, int column, Span<T> values) where T : struct
    {
        if (!_isDecoded)
        {
            for (var i = 0; i < values.Length; i++) values[i] = To<T>(_parsed.GetCell(table, column, i));
            return;
        }
        var cells = decoder!.Table(table).Column(column);
        if (table == TableId.Units && _hasGaps)
        {
            var rows = _rows.AsSpan(0, values.Length);
            for (var i = 0; i < rows.Length; i++) values[i] = To<T>(cells[rows[i]]);
            return;
        }
        for (var i = 0; i < values.Length; i++) values[i] = To<T>(cells[i]);
    }

    /// <summary>Reads a column of floats.</summary>
    public void ReadFloats(TableId table, int column, Span<float> values)
    {
        if (!_isDecoded)
        {
            for (var i = 0; i < values.Length; i++) values[i] = _parsed.GetFloat(table, column, i);
            return;
        }
        var cells = decoder!.Table(table);
        var hasGaps = table == TableId.Units && _hasGaps;
        for (var i = 0; i < values.Length; i++) values[i] = cells.GetFloat(column, hasGaps ? _rows[i] : i);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static T To<T>(long cell) where T : struct
    {
        if (typeof(T) == typeof(int)) return (T)(object)(int)cell;
        if (typeof(T) == typeof(uint)) return (T)(object)(uint)cell;
        if (typeof(T) == typeof(ulong)) return (T)(object)(ulong)cell;
        if (typeof(T) == typeof(bool)) return (T)(object)(cell != 0);
        return (T)(object)cell;
    }
}
