using System.Buffers.Binary;

namespace Abathur.Sync.Sources.Synth;

/// <summary>
/// Writes protobuf wire bytes into one growing buffer. A message's length is known only at its end, so
/// <see cref="Begin"/> leaves as many bytes as it will likely take, and <see cref="End"/> moves the body when it was wrong.
/// </summary>
internal sealed class WireWriter
{
    private byte[] _buffer = new byte[256 * 1024];

    public int Length { get; private set; }

    public ReadOnlyMemory<byte> Written => _buffer.AsMemory(0, Length);

    public void Clear() => Length = 0;

    public void Bool(int field, bool value) => Small(field, value ? 1 : 0);

    public void Int(int field, long value) => UInt(field, (ulong)value);

    public void UInt(int field, ulong value)
    {
        Reserve(16);
        Tag(field, 0);
        Varint(value);
    }

    public void Float(int field, float value)
    {
        Reserve(8);
        Tag(field, 5);
        BinaryPrimitives.WriteSingleLittleEndian(_buffer.AsSpan(Length), value);
        Length += 4;
    }

    public void Bytes(int field, ReadOnlySpan<byte> value)
    {
        Reserve(value.Length + 16);
        Tag(field, 2);
        Varint((ulong)value.Length);
        value.CopyTo(_buffer.AsSpan(Length));
        Length += value.Length;
    }

    /// <summary>Opens a message field.</summary>
    /// <param name="field">Field number.</param>
    /// <param name="lengthBytes">Bytes that its length will likely take.</param>
    /// <returns>What <see cref="End"/> wants to know: where the body begins.</returns>
    public int Begin(int field, int lengthBytes = 1)
    {
        Reserve(16);
        Tag(field, 2);
        Length += lengthBytes;
        return Length;
    }

    /// <summary>Closes it.</summary>
    /// <param name="start">What <see cref="Begin"/> returned.</param>
    /// <param name="lengthBytes">The same as given there.</param>
    public void End(int start, int lengthBytes = 1)
    {
        var length = Length - start;
        var needed = VarintSize((uint)length);
        if (needed != lengthBytes)
        {
            Reserve(8);
            Buffer.BlockCopy(_buffer, start, _buffer, start + needed - lengthBytes, length);
        }

        Length = start - lengthBytes;
        Varint((uint)length);
        Length += length;
    }

    private void Small(int field, int value)
    {
        Reserve(4);
        Tag(field, 0);
        _buffer[Length++] = (byte)value;
    }

    private void Tag(int field, int wireType)
    {
        var tag = (field << 3) | wireType;
        if (tag >= 128)
        {
            _buffer[Length++] = (byte)(tag | 0x80);
            tag >>= 7;
        }

        _buffer[Length++] = (byte)tag;
    }

    private void Varint(ulong value)
    {
        while (value >= 128)
        {
            _buffer[Length++] = (byte)(value | 0x80);
            value >>= 7;
        }

        _buffer[Length++] = (byte)value;
    }

    private static int VarintSize(uint value) => value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : value < 1 << 28 ? 4 : 5;

    private void Reserve(int bytes)
    {
        if (_buffer.Length - Length < bytes) Array.Resize(ref _buffer, Math.Max(_buffer.Length * 2, Length + bytes));
    }
}
