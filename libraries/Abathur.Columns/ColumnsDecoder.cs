using System.Buffers;
using Abathur.Columns.Decoding;
using Abathur.Columns.Tables;

namespace Abathur.Columns;

/// <summary>
/// Reads a stream of columns (<c>docs/columns.md</c>): applies the frames in order, keeps the tables and blobs, and writes the
/// observation as protobuf. Memory is bounded by the limits of the format (65,535 units, 262,144 rows in each other table) and by the
/// length of the payloads. Not thread-safe.
/// </summary>
public sealed class ColumnsDecoder
{
    private readonly DecoderTables _tables = new();
    private readonly ObservationWriter _writer;
    private bool _hasFrame;

    /// <summary>Creates a decoder that waits for a keyframe.</summary>
    public ColumnsDecoder() => _writer = new ObservationWriter(_tables);

    /// <summary>Whether each row of units is in use. Valid until the next frame.</summary>
    public ReadOnlySpan<bool> IsUsed => _tables.Units.IsUsed;

    /// <summary>A table.</summary>
    public ColumnsTable Table(TableId table) => _tables[table];

    /// <summary>Bytes of a blob, valid until the next frame; false if the blob does not exist.</summary>
    public bool TryGetBlob(BlobId blob, out ReadOnlyMemory<byte> bytes)
    {
        bytes = _tables[blob].Memory;
        return _tables[blob].IsThere;
    }

    /// <summary>Applies the next frame of the stream.</summary>
    /// <exception cref="InvalidDataException">
    /// It is not a frame, or it cannot follow the previous one. After that only a keyframe is accepted.
    /// </exception>
    public void Decode(ReadOnlySpan<byte> payload)
    {
        var hadFrame = _hasFrame;
        _hasFrame = false;
        var reader = new PayloadReader(payload);
        if (reader.ReadByte() is var version && version != ColumnsFormat.Version) reader.Throw($"version {version} is not known");
        var flags = reader.ReadByte();
        if ((flags & ~ColumnsFormat.KeyframeFlag) != 0) reader.Throw("a flag is not known");
        var sections = reader.ReadUInt16();
        if (sections >> ColumnsFormat.SectionCount != 0) reader.Throw("a section is not known");
        if (flags == ColumnsFormat.KeyframeFlag) _tables.Reset();
        else if (!hadFrame) throw new InvalidDataException("a delta frame of columns without the frame before it");

        _tables.Units.Apply(ref reader, (sections & 1) != 0, Has(sections, ColumnsFormat.Section(TableId.Units)));
        foreach (var child in _tables.Children)
            child.Apply(ref reader, _tables.Units, Has(sections, ColumnsFormat.Section(child.Field.Table)));
        for (var blob = 0; blob < _tables.Blobs.Length; blob++)
        {
            if (Has(sections, ColumnsFormat.Section((BlobId)blob))) _tables.Blobs[blob].Apply(ref reader);
        }
        if (!reader.IsAtEnd) reader.Throw("bytes follow the last section");
        CheckExtras();
        _hasFrame = true;
    }

    /// <summary>
    /// Writes the observation of the last frame: a <c>ResponseObservation</c> in protobuf, units in the order of their rows. Fields are in
    /// the order of their numbers, and each message that occurs once is written once. Unknown fields stay.
    /// </summary>
    /// <exception cref="InvalidOperationException">There is no frame, or the last one was refused.</exception>
    public void WriteObservation(IBufferWriter<byte> output)
    {
        if (!_hasFrame) throw new InvalidOperationException("there is no frame to write");
        output.Write(_writer.Write());
    }

    private static bool Has(int sections, int section) => (sections >> section & 1) != 0;

    private void CheckExtras()
    {
        var extras = new ExtrasReader(_tables[BlobId.Extras].Span);
        var last = (TableId.Units, -1);
        while (extras.TryRead(out var table, out var row, out _))
        {
            var isThere = table is TableId.Units or TableId.Orders or TableId.Passengers or TableId.RallyTargets
                && (uint)row < (uint)Table(table).Rows && (table != TableId.Units || IsUsed[row]);
            if (!isThere || (table, row).CompareTo(last) <= 0)
            {
                throw new InvalidDataException("extras are not in the order of the rows, or for a row that does not exist");
            }
            last = (table, row);
        }
    }
}
