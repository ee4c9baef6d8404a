using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Sync.Encodings.Columns;

/// <summary>Writes protobuf messages in messages whose lengths are known only when they are done.</summary>
internal sealed class NestedWriter
{
    private const int MaxLengthBytes = 5;
    private byte[] _bytes = new byte[4096];

    public int Length { get; private set; }

    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, Length);

    public void Clear() => Length = 0;

    public void Write(ReadOnlySpan<byte> bytes) => bytes.CopyTo(Take(bytes.Length));

    public void WriteVarint(ulong value)
    {
        var room = Take(Varint.MaxBytes);
        Length -= Varint.MaxBytes - Varint.Write(room, value);
    }

    public void WriteTag(int number, WireFormat.WireType type) => WriteVarint(WireFormat.MakeTag(number, type));

    public void WriteFixed32(uint value) => System.Buffers.Binary.BinaryPrimitives.WriteUInt32LittleEndian(Take(4), value);

    public void WriteBytes(int number, ReadOnlySpan<byte> bytes)
    {
        WriteTag(number, WireFormat.WireType.LengthDelimited);
        WriteVarint((ulong)bytes.Length);
        Write(bytes);
    }

    /// <summary>Begins a message in the current one; what it returns goes to <see cref="End"/>.</summary>
    public int Begin(int number)
    {
        WriteTag(number, WireFormat.WireType.LengthDelimited);
        Take(MaxLengthBytes);
        return Length;
    }

    /// <summary>Ends the message that was begun last.</summary>
    public void End(int begin)
    {
        var length = Length - begin;
        var prefix = Varint.Write(_bytes.AsSpan(begin - MaxLengthBytes), (ulong)length);
        _bytes.AsSpan(begin, length).CopyTo(_bytes.AsSpan(begin - MaxLengthBytes + prefix));
        Length -= MaxLengthBytes - prefix;
    }

    private Span<byte> Take(int count)
    {
        if (_bytes.Length - Length < count) Array.Resize(ref _bytes, Math.Max(Length + count, 2 * _bytes.Length));
        Length += count;
        return _bytes.AsSpan(Length - count, count);
    }
}
