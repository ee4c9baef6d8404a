using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Google.Protobuf;

namespace Abathur.Protobuf.Wire;

/// <summary>
/// Writes protobuf messages to a growing buffer. A submessage is written in place: <see cref="Begin"/> reserves bytes for its length, and
/// <see cref="End"/> moves the message if the length needs more or fewer bytes. Not thread-safe.
/// </summary>
public sealed class WireWriter : IBufferWriter<byte>
{
    private const int MaxLengthBytes = 5;
    private byte[] _buffer;

    /// <param name="capacity">Bytes of the first buffer.</param>
    public WireWriter(int capacity = 4096) => _buffer = new byte[Math.Max(capacity, 16)];

    /// <summary>Bytes written so far.</summary>
    public int Length { get; private set; }

    /// <summary>The written bytes. Valid until the next write.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _buffer.AsMemory(0, Length);

    /// <inheritdoc cref="WrittenMemory"/>
    public ReadOnlySpan<byte> WrittenSpan => _buffer.AsSpan(0, Length);

    /// <summary>Discards the written bytes. The buffer is kept.</summary>
    public void Clear() => Length = 0;

    /// <summary>Begins a message in field <paramref name="number"/> of the current one.</summary>
    /// <param name="number">Field number.</param>
    /// <param name="lengthBytes">Expected bytes of the length, 1 to 5. A wrong value costs a copy of the message.</param>
    /// <returns>The argument for <see cref="End"/>.</returns>
    public OpenMessage Begin(int number, int lengthBytes = 1)
    {
        WriteTag(number, WireFormat.WireType.LengthDelimited);
        Reserve(lengthBytes);
        Length += lengthBytes;
        return new OpenMessage(Length, lengthBytes);
    }

    /// <summary>Ends the innermost open message.</summary>
    public void End(OpenMessage message)
    {
        Reserve(MaxLengthBytes);
        var length = Length - message.Start;
        var needed = CodedOutputStream.ComputeLengthSize(length);
        var start = message.Start - message.LengthBytes;
        if (needed != message.LengthBytes) _buffer.AsSpan(message.Start, length).CopyTo(_buffer.AsSpan(start + needed));
        Varint.Write(_buffer.AsSpan(start), (uint)length);
        Length = start + needed + length;
    }

    /// <summary>Writes bytes unchanged.</summary>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        Reserve(bytes.Length);
        bytes.CopyTo(_buffer.AsSpan(Length));
        Length += bytes.Length;
    }

    /// <summary>Writes a varint without a tag.</summary>
    public void WriteVarint(ulong value)
    {
        Reserve(Varint.MaxBytes);
        Length += Varint.Write(_buffer.AsSpan(Length), value);
    }

    /// <summary>Writes a tag.</summary>
    public void WriteTag(int number, WireFormat.WireType type) => WriteVarint(WireFormat.MakeTag(number, type));

    /// <summary>Writes a field of type bool.</summary>
    public void WriteBool(int number, bool value) => WriteUInt64(number, value ? 1u : 0u);

    /// <summary>Writes a field of type int32, int64 or enum.</summary>
    public void WriteInt64(int number, long value) => WriteUInt64(number, (ulong)value);

    /// <summary>Writes a field of type uint32 or uint64.</summary>
    public void WriteUInt64(int number, ulong value)
    {
        WriteTag(number, WireFormat.WireType.Varint);
        WriteVarint(value);
    }

    /// <summary>Writes a field of type fixed32; a float by its bits.</summary>
    public void WriteFixed32(int number, uint value)
    {
        WriteTag(number, WireFormat.WireType.Fixed32);
        Reserve(sizeof(uint));
        BinaryPrimitives.WriteUInt32LittleEndian(_buffer.AsSpan(Length), value);
        Length += sizeof(uint);
    }

    /// <summary>Writes a field of type float.</summary>
    public void WriteFloat(int number, float value) => WriteFixed32(number, BitConverter.SingleToUInt32Bits(value));

    /// <summary>Writes a field of type bytes, or a serialized message.</summary>
    public void WriteBytes(int number, ReadOnlySpan<byte> value)
    {
        WriteLength(number, value.Length);
        Write(value);
    }

    /// <summary>Writes a field of type string.</summary>
    public void WriteString(int number, string value)
    {
        var length = Encoding.UTF8.GetByteCount(value);
        WriteLength(number, length);
        Reserve(length);
        Length += Encoding.UTF8.GetBytes(value, _buffer.AsSpan(Length));
    }

    /// <summary>Writes tag and length of a length-delimited field, whose bytes are written next.</summary>
    public void WriteLength(int number, int length)
    {
        WriteTag(number, WireFormat.WireType.LengthDelimited);
        WriteVarint((ulong)length);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _buffer.Length - Length);
        Length += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(Math.Max(sizeHint, 1));
        return _buffer.AsMemory(Length);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    private void Reserve(int bytes)
    {
        if (_buffer.Length - Length < bytes) Array.Resize(ref _buffer, Math.Max(_buffer.Length * 2, Length + bytes));
    }

    /// <summary>An open message.</summary>
    /// <param name="Start">Start of its content, after the bytes for its length.</param>
    /// <param name="LengthBytes">Bytes reserved for the length.</param>
    public readonly record struct OpenMessage(int Start, int LengthBytes);
}
