using Abathur.Columns.Tables;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Columns.Encoding;

/// <summary>
/// Takes the units of an observation and gives them their rows. A unit whose bytes are those of the frame before is not parsed: most are.
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

    /// <summary>Rows of the table, after <see cref="AssignRows"/> at least as many as before and as after the frame.</summary>
    public Span<EncoderRow> Rows => _rows.Span;

    /// <summary>Forgets everything.</summary>
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

    /// <summary>Takes a unit; false where there is no room for it in the tables.</summary>
    /// <exception cref="InvalidDataException">It is no protobuf message.</exception>
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

    /// <summary>Gives the new units their rows, the lowest free ones first, and returns the number of rows of the table.</summary>
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

    /// <summary>Forgets the rows behind the first <paramref name="count"/>.</summary>
    public void Truncate(int count)
    {
        _rows.Truncate(count);
        Cells.Resize(count);
    }

    /// <summary>Rows that a table below has after the frame.</summary>
    public int ChildRows(TableId table) => _childRows[(int)table];

    // Units that begin together stand together by what they are, which compresses better; and their order in the message does not matter.
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
        // The order of the message again: the first with a tag has it.
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

    /// <summary>The first tag that a unit names; where it names more than one, the last counts, so this is only where to look.</summary>
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
