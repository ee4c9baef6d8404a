using Abathur.Columns.Tables;

namespace Abathur.Columns.Decoding;

/// <summary>The state of a decoder after a frame: the tables and the blobs.</summary>
internal sealed class DecoderTables
{
    public UnitTableDecoder Units { get; } = new();

    /// <summary>The tables below the units, in the order of <see cref="TableId"/>.</summary>
    public ChildTableDecoder[] Children { get; } = [.. ColumnsFormat.Units.Children.Select(field => new ChildTableDecoder(field))];

    /// <summary>The blobs, by <see cref="BlobId"/>.</summary>
    public BlobDecoder[] Blobs { get; } = [new(), new(), new(), new()];

    public ColumnsTable this[TableId table] => table == TableId.Units ? Units.Table : Children[(int)table - 1].Table;

    public BlobDecoder this[BlobId blob] => Blobs[(int)blob];

    public void Reset()
    {
        Units.Reset();
        foreach (var child in Children) child.Reset();
        foreach (var blob in Blobs) blob.Reset();
    }
}
