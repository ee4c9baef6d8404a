using System.Buffers.Binary;
using Abathur.Columns.Tables;

namespace Abathur.Columns.Encoding;

/// <summary>A growing array that payloads are written to.</summary>
internal sealed class PayloadWriter
{
    private byte[] _bytes = new byte[4096];

    public int Length { get; private set; }

    public Span<byte> Written => _bytes.AsSpan(0, Length);

    public void Clear() => Length = 0;

    /// <summary>The next bytes, to be filled by the caller; not cleared.</summary>
    public Span<byte> Take(int count)
    {
        if (_bytes.Length - Length < count) Array.Resize(ref _bytes, Math.Max(Length + count, 2 * _bytes.Length));
        Length += count;
        return _bytes.AsSpan(Length - count, count);
    }

    public void WriteByte(byte value) => Take(1)[0] = value;

    public void WriteUInt16(ushort value) => BinaryPrimitives.WriteUInt16LittleEndian(Take(2), value);

    public void WriteUInt32(int value) => BinaryPrimitives.WriteUInt32LittleEndian(Take(4), (uint)value);

    /// <summary>Writes a count: one byte, or 255 and four bytes.</summary>
    public void WriteCount(int value)
    {
        WriteByte((byte)Math.Min(value, ColumnsFormat.LongCount));
        if (value >= ColumnsFormat.LongCount) WriteUInt32(value);
    }

    public void Write(ReadOnlySpan<byte> bytes) => bytes.CopyTo(Take(bytes.Length));

    /// <summary>Writes ascending numbers, as differences to the previous one, with their width first.</summary>
    public void WriteGaps(ReadOnlySpan<int> ascending)
    {
        var (widest, before) = (0, 0);
        foreach (var each in ascending) (widest, before) = (widest | (each - before), each);
        var width = ColumnsFormat.Width((ulong)widest);
        WriteByte((byte)width);
        var planes = Take(width * ascending.Length);
        for (var plane = 0; plane < width; plane++)
        {
            before = 0;
            var bytes = planes.Slice(plane * ascending.Length, ascending.Length);
            for (var i = 0; i < bytes.Length; i++)
            {
                bytes[i] = (byte)((ascending[i] - before) >> (8 * plane));
                before = ascending[i];
            }
        }
    }
}
