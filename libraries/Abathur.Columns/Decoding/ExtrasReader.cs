using System.Buffers.Binary;
using Abathur.Columns.Tables;

namespace Abathur.Columns.Decoding;

/// <summary>Reads the records of the blob <c>extras</c>.</summary>
internal ref struct ExtrasReader(ReadOnlySpan<byte> extras)
{
    private const int HeadBytes = 9;
    private ReadOnlySpan<byte> _left = extras;

    /// <summary>Reads the next record; false at the end.</summary>
    /// <exception cref="InvalidDataException">The record is truncated.</exception>
    public bool TryRead(out TableId table, out int row, out ReadOnlySpan<byte> fields)
    {
        (table, row) = (default, 0);
        fields = default;
        if (_left.IsEmpty) return false;
        if (_left.Length < HeadBytes || BinaryPrimitives.ReadUInt32LittleEndian(_left[5..]) > (uint)(_left.Length - HeadBytes))
        {
            throw new InvalidDataException("extras are truncated");
        }
        table = (TableId)_left[0];
        row = BinaryPrimitives.ReadInt32LittleEndian(_left[1..]);
        fields = _left.Slice(HeadBytes, BinaryPrimitives.ReadInt32LittleEndian(_left[5..]));
        _left = _left[(HeadBytes + fields.Length)..];
        return true;
    }
}
