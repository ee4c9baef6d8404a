using Abathur.Columns.Tables;
using Abathur.Protobuf.Wire;

namespace Abathur.Columns.Decoding;

/// <summary>Writes the tables and grids as protobuf: a <c>ResponseObservation</c> to be merged with the rest.</summary>
internal sealed class ObservationWriter(DecoderTables tables)
{
    // An observation with units has more than 16 KiB and less than 2 MiB.
    private const int LargeLengthBytes = 3;
    private readonly WireWriter _output = new();
    private readonly int[] _next = new int[ColumnsFormat.TableCount];

    /// <summary>Writes it; nothing if there are neither units nor grids.</summary>
    public ReadOnlySpan<byte> Write()
    {
        _output.Clear();
        _next.AsSpan().Clear();
        var (visibility, creep) = (tables[BlobId.Visibility], tables[BlobId.Creep]);
        if (!visibility.IsThere && !creep.IsThere && !tables.Units.IsUsed.Contains(true)) return [];
        var observation = _output.Begin(3, LargeLengthBytes);
        var rawData = _output.Begin(5, LargeLengthBytes);
        WriteUnits();
        if (visibility.IsThere || creep.IsThere)
        {
            var mapState = _output.Begin(3);
            if (visibility.IsThere) WriteGrid(1, visibility.Span);
            if (creep.IsThere) WriteGrid(2, creep.Span);
            _output.End(mapState);
        }
        _output.End(rawData);
        _output.End(observation);
        return _output.WrittenSpan;
    }

    private void WriteGrid(int number, ReadOnlySpan<byte> data)
    {
        var grid = _output.Begin(number);
        _output.WriteBytes(3, data);
        _output.End(grid);
    }

    private void WriteUnits()
    {
        var extras = new ExtrasByTable(tables[BlobId.Extras].Span);
        var isUsed = tables.Units.IsUsed;
        for (var row = 0; row < isUsed.Length; row++)
        {
            if (!isUsed[row]) continue;
            var unit = _output.Begin(2);
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
