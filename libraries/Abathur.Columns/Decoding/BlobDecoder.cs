using Abathur.Columns.Tables;

namespace Abathur.Columns.Decoding;

/// <summary>The current content of a blob in a decoder.</summary>
internal sealed class BlobDecoder
{
    private byte[] _bytes = [];
    private int[] _positions = [];
    private int _length;

    /// <summary>Whether the blob exists.</summary>
    public bool IsThere { get; private set; }

    public ReadOnlyMemory<byte> Memory => _bytes.AsMemory(0, _length);

    public ReadOnlySpan<byte> Span => _bytes.AsSpan(0, _length);

    public void Reset() => (_length, IsThere) = (0, false);

    public void Apply(ref PayloadReader reader)
    {
        switch (reader.ReadByte())
        {
            case ColumnsFormat.BlobGone:
                Reset();
                break;
            case ColumnsFormat.BlobWhole:
                var bytes = reader.ReadBytes(reader.ReadUInt32(int.MaxValue, "length of a blob"));
                var twice = (int)Math.Min(2L * _bytes.Length, Array.MaxLength);
                if (_bytes.Length < bytes.Length) _bytes = new byte[Math.Max(bytes.Length, twice)];
                bytes.CopyTo(_bytes);
                (_length, IsThere) = (bytes.Length, true);
                break;
            case ColumnsFormat.BlobXor:
                var count = reader.ReadCount(_length, "number of changed bytes");
                if (_positions.Length < count) _positions = new int[count];
                var positions = _positions.AsSpan(0, count);
                reader.ReadGaps(positions, _length, "positions");
                var changes = reader.ReadBytes(count);
                for (var i = 0; i < count; i++) _bytes[positions[i]] ^= changes[i];
                break;
            default:
                reader.Throw("no such form of a blob");
                break;
        }
    }
}
