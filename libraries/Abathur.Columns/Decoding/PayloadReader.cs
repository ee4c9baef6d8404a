using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using Abathur.Columns.Tables;

namespace Abathur.Columns.Decoding;

/// <summary>Reads the parts of a payload. Bounded by its span; an invalid frame throws <see cref="InvalidDataException"/>.</summary>
internal ref struct PayloadReader(ReadOnlySpan<byte> payload)
{
    private readonly ReadOnlySpan<byte> _payload = payload;

    public int Position { get; private set; }

    public readonly bool IsAtEnd => Position == _payload.Length;

    public ReadOnlySpan<byte> ReadBytes(long count)
    {
        if (count > _payload.Length - Position) Throw($"{count} bytes should follow, but {_payload.Length - Position} do");
        var bytes = _payload.Slice(Position, (int)count);
        Position += (int)count;
        return bytes;
    }

    public byte ReadByte() => ReadBytes(1)[0];

    public int ReadUInt16() => BinaryPrimitives.ReadUInt16LittleEndian(ReadBytes(2));

    /// <summary>Reads a count of at most <paramref name="max"/>.</summary>
    public int ReadCount(int max, string what)
    {
        int count = ReadByte();
        if (count == ColumnsFormat.LongCount) return ReadUInt32(max, what);
        if (count > max) Throw($"{what} is {count}; at most {max} can be");
        return count;
    }

    /// <summary>Reads a number of at most <paramref name="max"/>.</summary>
    public int ReadUInt32(int max, string what)
    {
        var value = BinaryPrimitives.ReadUInt32LittleEndian(ReadBytes(4));
        if (value > (uint)max) Throw($"{what} is {value}; at most {max} can be");
        return (int)value;
    }

    public int ReadWidth()
    {
        var width = ReadByte();
        if (width > 8) Throw($"a width is {width}; at most 8 can be");
        return width;
    }

    /// <summary>Reads ascending numbers below <paramref name="limit"/>.</summary>
    public void ReadGaps(Span<int> numbers, int limit, string what)
    {
        var width = ReadWidth();
        var planes = ReadBytes((long)width * numbers.Length);
        var before = 0L;
        for (var i = 0; i < numbers.Length; i++)
        {
            var gap = 0UL;
            for (var plane = 0; plane < width; plane++) gap |= (ulong)planes[(plane * numbers.Length) + i] << (8 * plane);
            if ((i > 0 && gap == 0) || gap >= (ulong)limit || before + (long)gap >= limit) Throw($"{what} do not ascend below {limit}");
            before += (long)gap;
            numbers[i] = (int)before;
        }
    }

    [DoesNotReturn]
    public readonly void Throw(string problem) => throw new InvalidDataException($"not a frame of columns: {problem} (at byte {Position})");
}
