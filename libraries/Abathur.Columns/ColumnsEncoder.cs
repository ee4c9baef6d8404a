using System.Buffers;
using System.Buffers.Binary;
using Abathur.Columns.Encoding;
using Abathur.Columns.Tables;

namespace Abathur.Columns;

/// <summary>
/// Writes observations as columns (<c>docs/columns.md</c>), straight from their wire bytes: each frame has the
/// changes since the previous one. Keeps the state of a decoder. Allocates nothing once it has seen the largest frame. Not thread-safe.
/// </summary>
/// <remarks>
/// Units are taken as protobuf merges them; fields that have no column are kept. Everything above the limits of the format (65,535 units;
/// 262,144 orders, buffs, passengers, rally targets) goes into the frame as protobuf.
/// </remarks>
public sealed class ColumnsEncoder
{
    private readonly UnitIntake _units = new();
    private readonly UnitTableEncoder _table = new();
    private readonly ChildTableEncoder[] _children = [.. ColumnsFormat.Units.Children.Select(field => new ChildTableEncoder(field.Table))];
    private readonly BlobEncoder[] _blobs = [new(), new(), new(), new()];
    private readonly ExtrasWriter _extras = new();
    private readonly PayloadWriter _payload = new();
    private readonly ObservationSplit _split;
    private bool _hasFrame;

    /// <summary>Begins a stream, whose first frame is a keyframe.</summary>
    public ColumnsEncoder() => _split = new ObservationSplit(_units);

    /// <summary>Writes the next frame of the stream.</summary>
    /// <param name="observation">A <c>ResponseObservation</c> in protobuf.</param>
    /// <param name="keyframe">Whether it has to be readable without the frames before it. The first one always is.</param>
    /// <param name="payload">Where the frame is written to, in one piece.</param>
    /// <returns>Whether it is a keyframe.</returns>
    /// <exception cref="InvalidDataException">
    /// The observation is not a protobuf message. Nothing was written, and the next frame will be a keyframe.
    /// </exception>
    public bool Encode(ReadOnlySpan<byte> observation, bool keyframe, IBufferWriter<byte> payload)
    {
        keyframe |= !_hasFrame;
        _hasFrame = false;
        _units.Begin();
        try
        {
            _split.Split(observation);
        }
        catch
        {
            Reset();
            throw;
        }
        var rows = _units.AssignRows(observation);
        WalkRows(rows, keyframe);
        Write(observation, rows, keyframe);
        _units.Truncate(rows);
        payload.Write(_payload.Written);
        _hasFrame = true;
        return keyframe;
    }

    private void Reset()
    {
        _units.Reset();
        foreach (var child in _children) child.Reset();
    }

    private void WalkRows(int rowsAfter, bool keyframe)
    {
        var rows = _units.Rows;
        var claimed = 0;
        foreach (ref var row in rows) claimed += row.IsClaimed ? 1 : 0;
        _table.Begin(rowsAfter, rows.Length, claimed);
        foreach (var child in _children) child.Begin(_units.ChildRows(child.Table), keyframe);
        _extras.Begin();
        for (var i = 0; i < rows.Length; i++)
        {
            if (rows[i].IsUsed || rows[i].IsClaimed) Walk(i, ref rows[i], keyframe);
        }
    }

    private Span<long> Cells(int row, in EncoderRow state) => state.Slot >= 0 ? _units.Parser.Units[state.Slot] : _units.Cells[row];

    private void Walk(int i, ref EncoderRow row, bool keyframe)
    {
        var before = _units.Cells[i];
        if (row.IsUsed && (!row.IsClaimed || row.IsNew))
        {
            if (!keyframe) _table.Free(i);
            for (var c = 0; c < _children.Length; c++) _children[c].Drop((int)before[ColumnsFormat.FirstCount + c]);
        }
        if (!row.IsClaimed)
        {
            before.Clear();
            row = default;
            return;
        }
        var now = Cells(i, row);
        if (row.Slot >= 0) AddExtras(i, row.Slot);
        WalkChildren(before, now, row);
        if (row.IsNew || keyframe)
        {
            now[ColumnsFormat.Speed] = 0;
            _table.Take(i, now, ref row);
        }
        else if (row.Slot >= 0 || row.Moves)
        {
            _table.Stay(i, before, now, ref row);
        }
        if (row.Slot >= 0) now.CopyTo(before);
        row.IsUsed = true;
    }

    private void WalkChildren(ReadOnlySpan<long> before, ReadOnlySpan<long> now, in EncoderRow row)
    {
        for (var c = 0; c < _children.Length; c++)
        {
            var (old, count) = ((int)before[ColumnsFormat.FirstCount + c], (int)now[ColumnsFormat.FirstCount + c]);
            var child = _children[c];
            if (row.Slot < 0) child.Keep(count);
            else child.Change(_units.Parser.Rows(child.Table), _units.Parser[row.Slot].First(child.Table), count, row.IsNew ? 0 : old);
        }
    }

    private void AddExtras(int row, int slot)
    {
        ref var unit = ref _units.Parser[slot];
        for (var i = unit.FirstExtra; i < unit.FirstExtra + unit.Extras; i++)
        {
            ref var extra = ref _units.Parser.Extras[i];
            _extras.Add(extra.Table == TableId.Units ? row : _children[(int)extra.Table - 1].Rows + extra.Index, extra);
        }
    }

    private void Write(ReadOnlySpan<byte> observation, int rows, bool keyframe)
    {
        if (keyframe) foreach (var blob in _blobs) blob.Reset();
        _payload.Clear();
        _payload.WriteByte(ColumnsFormat.Version);
        _payload.WriteByte(keyframe ? ColumnsFormat.KeyframeFlag : (byte)0);
        _payload.WriteUInt16(0);
        var sections = _table.TryWriteRows(rows, _payload) ? 1 : 0;
        sections |= _table.TryWriteChanges(_payload) ? 1 << ColumnsFormat.Section(TableId.Units) : 0;
        foreach (var child in _children) sections |= child.TryWrite(_payload) ? 1 << ColumnsFormat.Section(child.Table) : 0;
        foreach (var grid in (ReadOnlySpan<BlobId>)[BlobId.Visibility, BlobId.Creep])
        {
            var range = _split.Grid(grid);
            sections |= WriteBlob(grid, range is not null, observation[range ?? 0..0]);
        }
        sections |= WriteBlob(BlobId.Rest, _split.Rest.Length > 0, _split.Rest);
        var extras = _extras.Write(observation);
        sections |= WriteBlob(BlobId.Extras, extras.Length > 0, extras);
        BinaryPrimitives.WriteUInt16LittleEndian(_payload.Written[2..], (ushort)sections);
    }

    private int WriteBlob(BlobId blob, bool isThere, ReadOnlySpan<byte> bytes) =>
        _blobs[(int)blob].TryWrite(isThere, bytes, _payload) ? 1 << ColumnsFormat.Section(blob) : 0;
}
