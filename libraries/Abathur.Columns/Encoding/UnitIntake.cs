using Abathur.Columns.Tables;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Columns.Encoding;

/// <summary>
/// Reads the units of an observation and assigns their rows. Units whose bytes are the same as in the previous frame, which are most, are
/// not parsed.
/// </summary>
internal sealed class UnitIntake
{
    private readonly UnitParser _parser = new();
    private readonly TagRows _tags = new();
    private readonly GrowingList<EncoderRow> _rows = new();
    private readonly GrowingList<int> _newSlots = new();
    private readonly GrowingList<(ulong Order, int Slot)> _order = new();
    private readonly int[] _childRows = new int[ColumnsFormat.TableCount];
    private byte[] _last = [];
    private int _units;

    public UnitParser Parser => _parser;

    /// <summary>Cells of the rows, as they were after the last frame.</summary>
    public CellRows Cells { get; } = new(ColumnsFormat.Units.Stride);

    /// <summary>Rows of the table, after <see cref="AssignRows"/> at least as many as before the frame and as after it.</summary>
    public Span<EncoderRow> Rows => _rows.Span;

    /// <summary>Discards everything.</summary>
    public void Reset()
    {
        _tags.Clear();
        _rows.Truncate(0);
        Cells.Resize(0);
        Begin();
    }

    /// <summary>Begins a frame.</summary>
    public void Begin()
    {
        _parser.Clear();
        _newSlots.Truncate(0);
        _childRows.AsSpan().Clear();
        _units = 0;
        foreach (ref var row in Rows) (row.IsClaimed, row.IsNew, row.Slot) = (false, false, EncoderRow.Free);
    }

    /// <summary>Adds a unit; false if the tables have no room for it.</summary>
    /// <exception cref="InvalidDataException">It is not a protobuf message.</exception>
    public bool TryTake(ReadOnlySpan<byte> observation, int start, int length)
    {
        if (_units == ColumnsFormat.MaxUnits) return false;
        var bytes = observation.Slice(start, length);
        var row = _tags.Find(FirstTag(bytes));
        if (row >= 0 && IsSame(_rows[row], bytes))
        {
            if (!TryCount(Cells[row])) return false;
            _rows[row].Slot = EncoderRow.Same;
        }
        else
        {
            var slot = _parser.Parse(observation, start, length);
            var cells = _parser.Units[slot];
            if (!TryCount(cells))
            {
                _parser.DropLast();
                return false;
            }
            row = _tags.Find((ulong)cells[ColumnsFormat.Tag]);
            if (row < 0 || _rows[row].IsClaimed)
            {
                _newSlots.Add(slot);
                _units++;
                return true;
            }
            _rows[row].Slot = slot;
            _rows[row].HasExtras = _parser[slot].HasExtras;
        }
        ref var taken = ref _rows[row];
        (taken.IsClaimed, taken.Start, taken.Length) = (true, start, length);
        _units++;
        return true;
    }

    /// <summary>Assigns rows to the new units, the lowest free ones first, and returns the number of rows of the table.</summary>
    public int AssignRows(ReadOnlySpan<byte> observation)
    {
        Keep(observation);
        SortNew();
        var row = 0;
        foreach (var slot in _newSlots.Span)
        {
            while (row < _rows.Count && _rows[row].IsClaimed) row++;
            if (row == _rows.Count)
            {
                _rows.Add(default);
                Cells.Resize(_rows.Count);
            }
            ref var unit = ref _parser[slot];
            ref var taken = ref _rows[row];
            (taken.IsClaimed, taken.IsNew, taken.HasTag, taken.HasExtras) = (true, true, false, unit.HasExtras);
            (taken.Slot, taken.Start, taken.Length) = (slot, unit.Start, unit.Length);
            row++;
        }
        return Retag();
    }

    /// <summary>Discards the rows after the first <paramref name="count"/>.</summary>
    public void Truncate(int count)
    {
        _rows.Truncate(count);
        Cells.Resize(count);
    }

    /// <summary>Rows that a table below has after the frame.</summary>
    public int ChildRows(TableId table) => _childRows[(int)table];

    // Sorts new units by type, which compresses better. Their order in the message does not matter.
    private void SortNew()
    {
        if (_newSlots.Count < 2) return;
        _order.Truncate(0);
        foreach (var slot in _newSlots.Span)
        {
            var cells = _parser.Units[slot];
            _order.Add((((ulong)cells[ColumnsFormat.Owner] << 48) | ((ulong)(uint)cells[ColumnsFormat.UnitType] << 16), slot));
        }
        _order.Span.Sort(static (a, b) => a.Order != b.Order ? a.Order.CompareTo(b.Order) : a.Slot.CompareTo(b.Slot));
        for (var i = 0; i < _order.Count; i++) _newSlots[i] = _order[i].Slot;
    }

    private int Retag()
    {
        var used = 0;
        var areSame = _newSlots.Count == 0;
        for (var row = 0; row < _rows.Count; row++)
        {
            if (_rows[row].IsClaimed) used = row + 1;
            else if (_rows[row].IsUsed) areSame = false;
        }
        if (areSame) return used;
        _tags.Clear();
        for (var row = 0; row < used; row++)
        {
            ref var each = ref _rows[row];
            if (each.IsClaimed && each.HasTag) _tags.TryAdd((ulong)Cells[row][ColumnsFormat.Tag], row);
        }
        // In the order of the message: of several units with the same tag, the first one has it.
        RegisterNew(used);
        return used;
    }

    private void RegisterNew(int used)
    {
        _order.Truncate(0);
        for (var row = 0; row < used; row++)
        {
            if (_rows[row] is { IsNew: true }) _order.Add(((ulong)_rows[row].Slot, row));
        }
        _order.Span.Sort(static (a, b) => a.Order.CompareTo(b.Order));
        foreach (var (slot, row) in _order.Span) _rows[row].HasTag = _tags.TryAdd((ulong)_parser.Units[(int)slot][ColumnsFormat.Tag], row);
    }

    private bool IsSame(in EncoderRow row, ReadOnlySpan<byte> bytes) =>
        !row.IsClaimed && !row.HasExtras && row.Length == bytes.Length && bytes.SequenceEqual(_last.AsSpan(row.Start, row.Length));

    private bool TryCount(ReadOnlySpan<long> cells)
    {
        foreach (var field in ColumnsFormat.Units.Children)
        {
            if (_childRows[(int)field.Table] + cells[field.Column] > ColumnsFormat.MaxChildRows) return false;
        }
        foreach (var field in ColumnsFormat.Units.Children) _childRows[(int)field.Table] += (int)cells[field.Column];
        return true;
    }

    /// <summary>The first tag field of a unit. If there are several, the last one counts, so this is only a guess for the lookup.</summary>
    private static ulong FirstTag(ReadOnlySpan<byte> unit)
    {
        var reader = new WireReader(unit);
        while (reader.ReadTag())
        {
            if (reader is { FieldNumber: 3, WireType: WireFormat.WireType.Varint }) return reader.ReadVarint();
            reader.SkipValue();
        }
        return 0;
    }

    private void Keep(ReadOnlySpan<byte> observation)
    {
        if (_last.Length < observation.Length) _last = new byte[Math.Max(observation.Length, 2 * _last.Length)];
        observation.CopyTo(_last);
    }
}
