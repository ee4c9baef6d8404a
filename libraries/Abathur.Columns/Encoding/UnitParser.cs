using Abathur.Columns.Tables;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Columns.Encoding;

/// <summary>
/// Parses units from wire bytes into cells, by the rules of protobuf: the last of several scalars counts, submessages are merged, repeated
/// numbers may be packed or not, and a field with an unexpected wire type is unknown.
/// </summary>
internal sealed class UnitParser
{
    private readonly CellRows[] _rows = [.. ColumnsFormat.Tables.Select(table => new CellRows(table.Stride))];
    private readonly GrowingList<ParsedUnit> _units = new();
    private readonly GrowingList<ExtraFragment> _extras = new();

    /// <summary>Cells of the parsed units; speeds are 0.</summary>
    public CellRows Units => _rows[0];

    public GrowingList<ExtraFragment> Extras => _extras;

    /// <summary>Cells of the submessages of parsed units, those of each unit in consecutive rows.</summary>
    public CellRows Rows(TableId table) => _rows[(int)table];

    public ref ParsedUnit this[int slot] => ref _units[slot];

    /// <summary>Discards all units.</summary>
    public void Clear()
    {
        foreach (var rows in _rows) rows.Resize(0);
        _units.Truncate(0);
        _extras.Truncate(0);
    }

    /// <summary>Removes the unit that was parsed last.</summary>
    public void DropLast()
    {
        var last = _units.Count - 1;
        foreach (var field in ColumnsFormat.Units.Children) Rows(field.Table).Resize(_units[last].First(field.Table));
        _extras.Truncate(_units[last].FirstExtra);
        Units.Resize(last);
        _units.Truncate(last);
    }

    /// <summary>Parses the unit at <paramref name="start"/> of an observation and returns its slot.</summary>
    /// <exception cref="InvalidDataException">It is not a protobuf message.</exception>
    public int Parse(ReadOnlySpan<byte> observation, int start, int length)
    {
        var slot = Units.Add();
        var extras = _extras.Count;
        _units.Add(new(
            start, length, Rows(TableId.Orders).Count, Rows(TableId.Buffs).Count, Rows(TableId.Passengers).Count,
            Rows(TableId.RallyTargets).Count, extras, 0));
        Units[slot][ColumnsFormat.DisplayType] = Units[slot][ColumnsFormat.Alliance] = 1;
        ParseMessage(observation.Slice(start, length), start, new(slot, TableId.Units, 0, 0, 0, 0), slot);
        _units[slot].Extras = _extras.Count - extras;
        return slot;
    }

    private void ParseMessage(ReadOnlySpan<byte> message, int start, ExtraFragment place, int row)
    {
        var schema = ColumnsFormat.Tables[(int)place.Table];
        var rows = Rows(place.Table);
        var cells = rows[row];
        var has = 0L;
        var targetExtras = _extras.Count;
        var reader = new WireReader(message);
        while (reader.ReadTag())
        {
            var field = schema.Field(reader.FieldNumber);
            switch (field?.Type)
            {
                case CellType.Float when reader.WireType == WireFormat.WireType.Fixed32:
                    cells[field.Column] = reader.ReadFixed32();
                    has |= 1L << field.Column;
                    break;
                case CellType.Bool or CellType.Int32 or CellType.UInt32 or CellType.UInt64
                    when reader.WireType == WireFormat.WireType.Varint:
                    cells[field.Column] = Value(field.Type, reader.ReadVarint());
                    has |= 1L << field.Column;
                    if (place.Table == TableId.Orders && field.Column == ColumnsFormat.TargetUnitTag)
                    {
                        has = DropTargetPosition(cells, has, targetExtras);
                        targetExtras = _extras.Count;
                    }
                    break;
                case CellType.Point when reader.WireType == WireFormat.WireType.LengthDelimited:
                    if (place.Table == TableId.Orders) has = DropTargetTag(cells, has);
                    var point = reader.ReadRange();
                    has |= 1L << field.Column;
                    has |= ParsePoint(message[point], start + point.Start.Value, field, cells, place);
                    break;
                case CellType.Rows when field.Table == TableId.Buffs
                    && reader.WireType is WireFormat.WireType.Varint or WireFormat.WireType.LengthDelimited:
                    cells[field.Column] += ParseBuffs(ref reader);
                    break;
                case CellType.Rows when field.Table != TableId.Buffs && reader.WireType == WireFormat.WireType.LengthDelimited:
                    var child = reader.ReadRange();
                    var index = (int)cells[field.Column]++;
                    var childPlace = place with { Table = field.Table, Index = index };
                    ParseMessage(message[child], start + child.Start.Value, childPlace, Rows(field.Table).Add());
                    break;
                default:
                    reader.SkipValue();
                    _extras.Add(place with { Start = start + reader.FieldStart, Length = reader.Position - reader.FieldStart });
                    break;
            }
        }
        FinishFloats(schema, cells, has);
    }

    private long ParsePoint(ReadOnlySpan<byte> point, int start, FieldColumn field, Span<long> cells, ExtraFragment place)
    {
        var has = 0L;
        var reader = new WireReader(point);
        while (reader.ReadTag())
        {
            if (reader is { FieldNumber: <= ColumnsFormat.PointFields, WireType: WireFormat.WireType.Fixed32 })
            {
                var column = field.Points![reader.FieldNumber - 1];
                cells[column] = reader.ReadFixed32();
                has |= 1L << column;
                continue;
            }
            reader.SkipValue();
            var length = reader.Position - reader.FieldStart;
            _extras.Add(place with { PointField = field.Number, Start = start + reader.FieldStart, Length = length });
        }
        return has;
    }

    private int ParseBuffs(ref WireReader reader)
    {
        var rows = Rows(TableId.Buffs);
        if (reader.WireType == WireFormat.WireType.Varint)
        {
            rows[rows.Add()][0] = (uint)reader.ReadVarint();
            return 1;
        }
        var packed = new WireReader(reader.ReadBytes());
        var count = 0;
        for (; !packed.IsAtEnd; count++) rows[rows.Add()][0] = (uint)packed.ReadVarint();
        return count;
    }

    private static long Value(CellType type, ulong value) => type switch
    {
        CellType.Bool => value == 0 ? 0 : 1,
        CellType.Int32 => (int)value,
        CellType.UInt32 => (uint)value,
        _ => (long)value,
    };

    /// <summary>The target of an order is a oneof: a tag after a position replaces it, including its unknown fields.</summary>
    private long DropTargetPosition(Span<long> cells, long has, int firstExtra)
    {
        cells[1..4].Clear();
        for (var i = firstExtra; i < _extras.Count; i++)
        {
            if (_extras[i].PointField != 0) _extras[i] = _extras[i] with { Length = 0 };
        }
        return has & ~((1L << ColumnsFormat.TargetPosition) | 0b1110);
    }

    private static long DropTargetTag(Span<long> cells, long has)
    {
        cells[ColumnsFormat.TargetUnitTag] = 0;
        return has & ~(1L << ColumnsFormat.TargetUnitTag);
    }

    private static void FinishFloats(TableSchema schema, Span<long> cells, long has)
    {
        var angle = schema == ColumnsFormat.Units ? ColumnsFormat.Facing : -1;
        var kinds = 0L;
        foreach (var column in schema.Floats)
        {
            if ((has >> column & 1) == 0) continue;
            cells[column] = FloatCell.From((uint)cells[column], column == angle, out var kind);
            kinds |= (long)kind << (2 * column);
        }
        cells[schema.Has] = has;
        cells[schema.Kinds] = kinds;
    }
}
