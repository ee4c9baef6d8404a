using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace Abathur.Mcap;

/// <summary>A growing buffer for records. Pooled; reused after <see cref="Clear"/>.</summary>
/// <remarks>All numbers little-endian; strings UTF-8 with a 4-byte length; maps with a 4-byte length in bytes.</remarks>
internal sealed class RecordBuffer : IDisposable
{
    private byte[] _bytes;

    public RecordBuffer(int capacity = 4096) => _bytes = ArrayPool<byte>.Shared.Rent(capacity);

    public int Length { get; private set; }

    public bool IsDisposed => _bytes.Length == 0;

    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, Length);

    public void Clear() => Length = 0;

    /// <summary>Starts a record and returns the argument for <see cref="End"/>.</summary>
    public int Begin(McapOpcode opcode)
    {
        U8((byte)opcode);
        U64(0);
        return Length;
    }

    /// <summary>Sets the length of the record.</summary>
    public void End(int start) => PatchU64(start - 8, (ulong)(Length - start));

    public void PatchU64(int position, ulong value) => BinaryPrimitives.WriteUInt64LittleEndian(_bytes.AsSpan(position), value);

    public void U8(byte value) => Take(1)[0] = value;

    public void U16(ushort value) => BinaryPrimitives.WriteUInt16LittleEndian(Take(2), value);

    public void U32(uint value) => BinaryPrimitives.WriteUInt32LittleEndian(Take(4), value);

    public void U64(ulong value) => BinaryPrimitives.WriteUInt64LittleEndian(Take(8), value);

    public void Raw(ReadOnlySpan<byte> value) => value.CopyTo(Take(value.Length));

    public void Text(string value)
    {
        var bytes = Encoding.UTF8.GetByteCount(value);
        U32((uint)bytes);
        Encoding.UTF8.GetBytes(value, Take(bytes));
    }

    public void Map(IReadOnlyDictionary<string, string> map)
    {
        var start = Length;
        U32(0);
        foreach (var (key, value) in map)
        {
            Text(key);
            Text(value);
        }
        PatchU32(start, (uint)(Length - start - 4));
    }

    public void PatchU32(int position, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(_bytes.AsSpan(position), value);

    /// <summary>Memory for up to <paramref name="bytes"/> bytes at the end; <see cref="Advance"/> sets how many were written.</summary>
    public Span<byte> Room(int bytes)
    {
        Reserve(bytes);
        return _bytes.AsSpan(Length, bytes);
    }

    public void Advance(int bytes) => Length += bytes;

    /// <summary>Grows once to the expected size instead of in steps.</summary>
    public void Reserve(int bytes)
    {
        var needed = (long)Length + bytes;
        if (needed <= _bytes.Length) return;
        if (needed > Array.MaxLength) throw new InvalidOperationException("a chunk cannot be larger than 2 GiB");
        var larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(Array.MaxLength, Math.Max(needed, _bytes.Length * 2L)));
        Written.CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = larger;
    }

    public void Dispose()
    {
        if (_bytes.Length > 0) ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = [];
        Length = 0;
    }

    private Span<byte> Take(int bytes)
    {
        Reserve(bytes);
        Length += bytes;
        return _bytes.AsSpan(Length - bytes, bytes);
    }
}
