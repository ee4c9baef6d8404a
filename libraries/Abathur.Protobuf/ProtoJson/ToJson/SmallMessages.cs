using System.Buffers.Binary;
using System.Buffers.Text;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.ProtoJson.State;
using Abathur.Protobuf.ProtoJson.Text;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Protobuf.ProtoJson.ToJson;

/// <summary>
/// The fast path for common small messages, of which a frame has a thousand: positions stay in registers, names are copied as one vector,
/// and the memory for the whole message is reserved. In unusual cases (fields out of order, maps, groups, well-known types, malformed
/// bytes) it stops, and <see cref="WireToJson"/> transcodes that message again on the general path.
/// </summary>
/// <param name="wire">All bytes of the outermost message.</param>
/// <param name="output">Memory for the longest possible JSON of the small message.</param>
/// <param name="floats">Texts of floats.</param>
internal readonly ref struct SmallMessages(ReadOnlySpan<byte> wire, Span<byte> output, FloatTextCache floats)
{
    private const int NotUsual = -1;

    // The texts as little-endian numbers.
    private const ulong True = 0x65757274;
    private const ulong False = 0x65736C6166;
    private readonly ReadOnlySpan<byte> _wire = wire;
    private readonly Span<byte> _output = output;

    /// <summary>Writes the message between two offsets at <paramref name="at"/> in the output and returns the end of its JSON; negative: it
    /// needs the general path.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int Write(MessageTable table, int position, int end, int at, int depth)
    {
        if (!table.IsPlain || depth > TranscodeCache.MaxDepth) return NotUsual;
        var wire = _wire[..end];
        var output = _output;
        var start = at;
        var lastIndex = -1;
        var oneofs = 0UL;
        while (position < wire.Length)
        {
            uint tag = wire[position++];
            if (tag >= 0x80)
            {
                if (position >= wire.Length || wire[position] >= 0x80) return NotUsual;
                tag = (tag & 0x7F) | ((uint)wire[position++] << 7);
            }
            var field = table.Find(tag);
            if (field is null || field.Index <= lastIndex) return NotUsual;
            lastIndex = field.Index;
            if ((oneofs & field.OneofBit) != 0) return NotUsual;
            oneofs |= field.OneofBit;
            if (field.IsRepeated)
            {
                at = WriteRepeated(field, tag, ref position, end, at, depth);
                if (at < 0) return at;
                continue;
            }
            at = WriteName(field, output, at);
            if (field.WireType == WireFormat.WireType.LengthDelimited)
            {
                at = WriteLengthDelimited(field, ref position, end, at, depth);
                if (at < 0) return at;
                continue;
            }
            if (!TryReadScalar(field.WireType, wire, ref position, out var value)) return NotUsual;
            at = WriteScalar(field, value, output, at);
        }
        if (at == start) output[at++] = (byte)'{';
        else output[start] = (byte)'{';
        output[at++] = (byte)'}';
        return at;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int WriteRepeated(FieldTable field, uint tag, ref int position, int end, int at, int depth)
    {
        if (tag != field.Tag) return NotUsual;
        var wire = _wire[..end];
        at = WriteName(field, _output, at);
        // Each value writes a comma before it; the first comma becomes the bracket.
        var start = at;
        while (true)
        {
            _output[at++] = (byte)',';
            if (field.WireType == WireFormat.WireType.LengthDelimited)
            {
                at = WriteLengthDelimited(field, ref position, end, at, depth);
                if (at < 0) return at;
            }
            else
            {
                if (!TryReadScalar(field.WireType, wire, ref position, out var value)) return NotUsual;
                at = WriteScalar(field, value, _output, at);
            }
            if (!TryTakeTag(field.Tag, wire, ref position)) break;
        }
        _output[start] = (byte)'[';
        _output[at++] = (byte)']';
        return at;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int WriteLengthDelimited(FieldTable field, ref int position, int end, int at, int depth)
    {
        if (!TryReadScalar(WireFormat.WireType.Varint, _wire[..end], ref position, out var length) || length > (ulong)(end - position))
            return NotUsual;
        var valueEnd = position + (int)length;
        if (field.Message is { } message)
        {
            at = Write(message, position, valueEnd, at, depth + 1);
            position = valueEnd;
            return at;
        }
        // Strings and bytes are few and short here.
        var sink = new JsonSink(_output[at..]);
        if (field.Kind == FieldKind.String) sink.String(_wire[position..valueEnd]);
        else sink.Base64(_wire[position..valueEnd]);
        position = valueEnd;
        return at + sink.Position;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int WriteName(FieldTable field, Span<byte> output, int at)
    {
        MemoryMarshal.Write(output[at..], in field.ShortCommaName);
        var length = field.CommaNameBytes;
        if (length > FieldTable.ShortName) field.CommaName.CopyTo(output[at..]);
        return at + length;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryTakeTag(uint tag, ReadOnlySpan<byte> wire, ref int position)
    {
        if (position >= wire.Length) return false;
        if (tag < 0x80)
        {
            if (wire[position] != tag) return false;
            position++;
            return true;
        }
        if (position + 1 >= wire.Length || wire[position] != ((tag & 0x7F) | 0x80) || wire[position + 1] != tag >> 7) return false;
        position += 2;
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryReadScalar(WireFormat.WireType type, ReadOnlySpan<byte> wire, ref int position, out ulong value)
    {
        value = 0;
        if (type == WireFormat.WireType.Fixed32)
        {
            if (wire.Length - position < sizeof(uint)) return false;
            value = BinaryPrimitives.ReadUInt32LittleEndian(wire[position..]);
            position += sizeof(uint);
            return true;
        }
        if (type == WireFormat.WireType.Varint)
        {
            if (position >= wire.Length) return false;
            value = wire[position];
            if (value >= 0x80) return Varint.TryRead(wire, ref position, out value);
            position++;
            return true;
        }
        if (wire.Length - position < sizeof(ulong)) return false;
        value = BinaryPrimitives.ReadUInt64LittleEndian(wire[position..]);
        position += sizeof(ulong);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int WriteScalar(FieldTable field, ulong value, Span<byte> output, int at)
    {
        switch (field.Kind)
        {
            case FieldKind.Float:
                var number = BitConverter.UInt32BitsToSingle((uint)value);
                if (float.IsFinite(number)) return at + floats.Write(number, output[at..]);
                break;
            case FieldKind.Bool:
                // Branch-free, because the value cannot be predicted.
                BinaryPrimitives.WriteUInt64LittleEndian(output[at..], value != 0 ? True : False);
                return at + (value != 0 ? 4 : 5);
            case FieldKind.Int32 or FieldKind.UInt32 when (uint)value < SmallNumbers.Count:
                return at + SmallNumbers.Write((uint)value, output[at..]);
            case FieldKind.UInt64:
                output[at] = (byte)'"';
                Utf8Formatter.TryFormat(value, output[(at + 1)..], out var written);
                output[at + 1 + written] = (byte)'"';
                return at + written + 2;
            case FieldKind.Enum when field.Enum!.Token((int)value) is { } token && !field.Enum.IsNullValue:
                MemoryMarshal.Write(output[at..], token.Short);
                if (!token.IsShort) token.Quoted.CopyTo(output[at..]);
                return at + token.Quoted.Length;
            default: break;
        }
        var sink = new JsonSink(output[at..]);
        sink.Scalar(field, value, floats);
        return at + sink.Position;
    }
}
