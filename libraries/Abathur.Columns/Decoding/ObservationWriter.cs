using Abathur.Columns.Tables;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Columns.Decoding;

/// <summary>Writes the rest, the tables and the grids as one <c>ResponseObservation</c>, in which each message occurs once.</summary>
internal sealed class ObservationWriter(DecoderTables tables)
{
    // An observation with units has more than 16 KiB and less than 2 MiB.
    private const int LargeLengthBytes = 3;
    private const int ObservationField = 3;
    private const int RawDataField = 5;
    private const int UnitsField = 2;
    private const int MapStateField = 3;
    private const int EventField = 4;
    private const int VisibilityField = 1;
    private const int CreepField = 2;
    private const int DataField = 3;

    /// <summary>What the rest has of the messages that are written here: an observer may have written them in parts.</summary>
    private static readonly MergedMessage Parts = new()
    {
        [ObservationField] = new()
        {
            [RawDataField] = new() { [MapStateField] = new() { [VisibilityField] = [], [CreepField] = [] }, [EventField] = [] },
        },
    };

    private readonly WireWriter _output = new();
    private readonly WireWriter _rest = new();
    private readonly int[] _next = new int[ColumnsFormat.TableCount];

    /// <summary>Writes it.</summary>
    public ReadOnlySpan<byte> Write()
    {
        var rest = tables[BlobId.Rest].Span;
        try
        {
            var merged = Merged(rest);
            if (!HasMore) return merged;
            Begin();
            WriteObservation(merged);
        }
        catch (InvalidDataException)
        {
            // The rest is no message, as each of its readers will see. It is written as it is, and what is known behind it.
            Begin();
            _output.Write(rest);
            if (HasMore) WriteObservation([]);
        }
        return _output.WrittenSpan;
    }

    private ReadOnlySpan<byte> Merged(ReadOnlySpan<byte> rest)
    {
        if (Parts.IsOne(rest)) return rest;
        _rest.Clear();
        Parts.Write(rest, _rest);
        return _rest.WrittenSpan;
    }

    private bool HasMore => HasGrids || tables.Units.IsUsed.Contains(true);

    private bool HasGrids => tables[BlobId.Visibility].IsThere || tables[BlobId.Creep].IsThere;

    private void Begin()
    {
        _output.Clear();
        _next.AsSpan().Clear();
    }

    private void WriteObservation(ReadOnlySpan<byte> rest)
    {
        var observation = Open(rest, ObservationField, LargeLengthBytes, out var inObservation, out var behindObservation);
        var rawData = Open(inObservation, RawDataField, LargeLengthBytes, out var inRawData, out var behindRawData);
        var behindUnits = StartOf(inRawData, UnitsField + 1);
        _output.Write(inRawData[..behindUnits]);
        WriteUnits();
        WriteMapState(inRawData[behindUnits..]);
        Close(rawData, behindRawData);
        Close(observation, behindObservation);
    }

    private void WriteMapState(ReadOnlySpan<byte> rest)
    {
        if (!HasGrids)
        {
            _output.Write(rest);
            return;
        }
        var mapState = Open(rest, MapStateField, 1, out var inMapState, out var behindMapState);
        var behindVisibility = StartOf(inMapState, VisibilityField + 1);
        WriteGrid(VisibilityField, BlobId.Visibility, inMapState[..behindVisibility]);
        WriteGrid(CreepField, BlobId.Creep, inMapState[behindVisibility..]);
        Close(mapState, behindMapState);
    }

    private void WriteGrid(int number, BlobId id, ReadOnlySpan<byte> rest)
    {
        if (!tables[id].IsThere)
        {
            _output.Write(rest);
            return;
        }
        var grid = Open(rest, number, 1, out var inGrid, out var behindGrid);
        var behindData = StartOf(inGrid, DataField + 1);
        _output.Write(inGrid[..behindData]);
        _output.WriteBytes(DataField, tables[id].Span);
        _output.Write(inGrid[behindData..]);
        Close(grid, behindGrid);
    }

    /// <summary>Writes the fields that are before a message, and begins the message.</summary>
    /// <param name="rest">Fields in the order of their numbers.</param>
    /// <param name="number">Of the message.</param>
    /// <param name="lengthBytes">Expected bytes of its length.</param>
    /// <param name="content">What the rest has of the message.</param>
    /// <param name="behind">The fields behind it.</param>
    private WireWriter.OpenMessage Open(
        ReadOnlySpan<byte> rest, int number, int lengthBytes, out ReadOnlySpan<byte> content, out ReadOnlySpan<byte> behind)
    {
        var end = StartOf(rest, number + 1);
        behind = rest[end..];
        content = [];
        var before = end;
        var reader = new WireReader(rest[..end]);
        while (reader.ReadTag())
        {
            // The message is the last field of its number: those of other wire types are before it.
            if (reader.FieldNumber == number && reader.WireType == WireFormat.WireType.LengthDelimited)
            {
                before = reader.FieldStart;
                content = reader.ReadBytes();
            }
            else
            {
                reader.SkipValue();
            }
        }
        _output.Write(rest[..before]);
        return _output.Begin(number, lengthBytes);
    }

    private void Close(WireWriter.OpenMessage message, ReadOnlySpan<byte> behind)
    {
        _output.End(message);
        _output.Write(behind);
    }

    /// <summary>Where the first field begins that has this number or a higher one.</summary>
    private static int StartOf(ReadOnlySpan<byte> fields, int number)
    {
        var reader = new WireReader(fields);
        while (reader.ReadTag())
        {
            if (reader.FieldNumber >= number) return reader.FieldStart;
            reader.SkipValue();
        }
        return fields.Length;
    }

    private void WriteUnits()
    {
        var extras = new ExtrasByTable(tables[BlobId.Extras].Span);
        var isUsed = tables.Units.IsUsed;
        for (var row = 0; row < isUsed.Length; row++)
        {
            if (!isUsed[row]) continue;
            var unit = _output.Begin(UnitsField);
            WriteRow(TableId.Units, row, ref extras);
            _output.End(unit);
        }
    }

    private void WriteRow(TableId id, int row, ref ExtrasByTable extras)
    {
        var table = tables[id];
        var has = table.Column(table.Schema.Has)[row];
        foreach (var field in table.Schema.Fields)
        {
            if (field.Type == CellType.Rows)
            {
                WriteChildren(field, (int)table.Column(field.Column)[row], ref extras);
            }
            else if ((has >> field.Column & 1) != 0)
            {
                if (field.Type == CellType.Point) WritePoint(table, field, row, has);
                else WriteCell(table, field, row);
            }
        }
        _output.Write(extras.Take(id, row));
    }

    private void WriteChildren(FieldColumn field, int count, ref ExtrasByTable extras)
    {
        if (count == 0) return;
        var first = _next[(int)field.Table];
        _next[(int)field.Table] += count;
        if (field.Table == TableId.Buffs)
        {
            var buffs = tables[TableId.Buffs].Column(0);
            for (var i = first; i < first + count; i++)
            {
                _output.WriteUInt64(field.Number, (uint)buffs[i]);
            }
            return;
        }
        for (var i = first; i < first + count; i++)
        {
            var message = _output.Begin(field.Number);
            WriteRow(field.Table, i, ref extras);
            _output.End(message);
        }
    }

    private void WritePoint(ColumnsTable table, FieldColumn field, int row, long has)
    {
        var point = _output.Begin(field.Number);
        for (var i = 0; i < field.Points!.Length; i++)
        {
            if ((has >> field.Points[i] & 1) == 0) continue;
            _output.WriteFixed32(i + 1, table.FloatBits(field.Points[i], row));
        }
        _output.End(point);
    }

    private void WriteCell(ColumnsTable table, FieldColumn field, int row)
    {
        if (field.Type == CellType.Float)
        {
            _output.WriteFixed32(field.Number, table.FloatBits(field.Column, row));
            return;
        }
        _output.WriteUInt64(field.Number, (ulong)table.Column(field.Column)[row]);
    }

    /// <summary>The extras of each table, which must be read in the order of its rows.</summary>
    private ref struct ExtrasByTable(ReadOnlySpan<byte> extras)
    {
        private Cursor _units = new(extras, TableId.Units);
        private Cursor _orders = new(extras, TableId.Orders);
        private Cursor _passengers = new(extras, TableId.Passengers);
        private Cursor _rallyTargets = new(extras, TableId.RallyTargets);

        public ReadOnlySpan<byte> Take(TableId table, int row) => table switch
        {
            TableId.Units => _units.Take(row),
            TableId.Orders => _orders.Take(row),
            TableId.Passengers => _passengers.Take(row),
            _ => _rallyTargets.Take(row),
        };

        private ref struct Cursor
        {
            private readonly TableId _table;
            private ExtrasReader _reader;
            private ReadOnlySpan<byte> _fields;
            private int _row = -1;

            public Cursor(ReadOnlySpan<byte> extras, TableId table)
            {
                _reader = new ExtrasReader(extras);
                _table = table;
                Move();
            }

            public ReadOnlySpan<byte> Take(int row)
            {
                if (_row != row) return [];
                var fields = _fields;
                Move();
                return fields;
            }

            private void Move()
            {
                while (_reader.TryRead(out var table, out _row, out _fields))
                {
                    if (table == _table) return;
                }
                _row = -1;
            }
        }
    }
}
