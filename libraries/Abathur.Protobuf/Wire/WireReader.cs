using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using Google.Protobuf;

namespace Abathur.Protobuf.Wire;

/// <summary>
/// Reads the fields of one protobuf message in place. It never reads outside the span; malformed input throws only
/// <see cref="InvalidDataException"/>.
/// </summary>
public ref struct WireReader(ReadOnlySpan<byte> message)
{
    /// <summary>Maximum nesting of groups.</summary>
    public const int MaxGroupDepth = 64;

    private const int MaxFieldNumber = (1 << 29) - 1;
    private readonly ReadOnlySpan<byte> _message = message;

    /// <summary>Offset of the next byte.</summary>
    public int Position { get; private set; }

    /// <summary>Offset at which the last tag began.</summary>
    public int FieldStart { get; private set; }

    /// <summary>Whether all bytes have been read.</summary>
    public readonly bool IsAtEnd => Position == _message.Length;

    /// <summary>Number of the field of the last tag.</summary>
    public int FieldNumber { get; private set; }

    /// <summary>Wire type of the last tag.</summary>
    public WireFormat.WireType WireType { get; private set; }

    /// <summary>Reads the next tag; false at the end of the message.</summary>
    public bool ReadTag()
    {
        FieldStart = Position;
        if (Position == _message.Length) return false;
        var tag = ReadVarint();
        var number = tag >> 3;
        if (number is 0 or > MaxFieldNumber) Throw("field number out of range");
        FieldNumber = (int)number;
        WireType = (WireFormat.WireType)(tag & 7);
        return true;
    }

    /// <summary>Reads a varint.</summary>
    /// <exception cref="InvalidDataException">It is longer than its message, or than 10 bytes.</exception>
    public ulong ReadVarint()
    {
        var first = Position < _message.Length ? _message[Position] : (byte)0x80;
        if (first < 0x80)
        {
            Position++;
            return first;
        }
        var position = Position;
        if (!Varint.TryRead(_message, ref position, out var value))
            Throw(_message.Length - position < Varint.MaxBytes ? "a varint is cut off" : "a varint is longer than ten bytes");
        Position = position;
        return value;
    }

    /// <summary>Reads four bytes, least significant first.</summary>
    public uint ReadFixed32()
    {
        Skip(4);
        return BinaryPrimitives.ReadUInt32LittleEndian(_message[(Position - 4)..]);
    }

    /// <summary>Reads the value of a length-delimited field.</summary>
    public ReadOnlySpan<byte> ReadBytes()
    {
        var length = ReadVarint();
        if (length > (ulong)(_message.Length - Position)) Throw("a field is longer than its message");
        var bytes = _message.Slice(Position, (int)length);
        Position += (int)length;
        return bytes;
    }

    /// <summary>Skips the value of a length-delimited field and returns its range in the message.</summary>
    public Range ReadRange()
    {
        var length = ReadBytes().Length;
        return (Position - length)..Position;
    }

    /// <summary>Skips the value of the field whose tag was read last.</summary>
    public void SkipValue() => SkipValue(WireType, FieldNumber, MaxGroupDepth);

    private void SkipValue(WireFormat.WireType type, int number, int depth)
    {
        switch (type)
        {
            case WireFormat.WireType.Varint: ReadVarint(); break;
            case WireFormat.WireType.Fixed64: Skip(8); break;
            case WireFormat.WireType.Fixed32: Skip(4); break;
            case WireFormat.WireType.LengthDelimited: ReadBytes(); break;
            case WireFormat.WireType.StartGroup when depth > 0: SkipGroup(number, depth - 1); break;
            default: Throw("invalid wire type"); break;
        }
    }

    private void SkipGroup(int number, int depth)
    {
        var start = FieldStart;
        while (true)
        {
            if (!ReadTag()) Throw("a group is cut off");
            if (WireType == WireFormat.WireType.EndGroup) break;
            SkipValue(WireType, FieldNumber, depth);
        }
        if (FieldNumber != number) Throw("a group ends with another field number");
        FieldStart = start;
    }

    private void Skip(int bytes)
    {
        if (_message.Length - Position < bytes) Throw("a fixed value is cut off");
        Position += bytes;
    }

    [DoesNotReturn]
    private readonly void Throw(string problem) =>
        throw new InvalidDataException($"not a protobuf message: {problem} (at byte {Position})");
}
