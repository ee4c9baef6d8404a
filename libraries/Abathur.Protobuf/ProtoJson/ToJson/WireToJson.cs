using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.ProtoJson.State;
using Abathur.Protobuf.ProtoJson.Text;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Protobuf.ProtoJson.ToJson;

/// <summary>
/// Reads a serialized message and writes its JSON in one pass. That works if fields are in the order of their numbers and singular fields
/// occur once, as every serializer writes them; otherwise <see cref="UnorderedFields"/> sorts the fields of that message.
/// </summary>
internal ref struct WireToJson
{
    // Up to this size the memory for a whole message is reserved at once.
    private const int SmallMessageBytes = 1 << 10;

    // Writing shorter messages is faster than a cache lookup.
    private const int MinKeptBytes = 32;

    private readonly ProtoJsonOptions _options;
    private readonly TableCompiler _compiler;
    private readonly TranscoderState _state;
    private readonly FloatTextCache _floats;
    private ReadOnlySpan<byte> _wire;
    private int _position;
    private int _depth;
    private bool _hasRoom;
    private long _merged;

    /// <summary>The JSON output.</summary>
    public JsonSink Out;

    public WireToJson(
        ReadOnlySpan<byte> wire, IBufferWriter<byte> output, ProtoJsonOptions options, TableCompiler compiler, TranscoderState state)
    {
        _wire = wire;
        _options = options;
        _compiler = compiler;
        _state = state;
        _floats = state.Floats;
        Out = new JsonSink(output, options.MaxOutputBytes);
    }

    public void WriteRoot(MessageTable table)
    {
        WriteMessage(table, _wire.Length);
        Out.Complete();
    }

    /// <summary>Writes the message from here to <paramref name="end"/>.</summary>
    public void WriteMessage(MessageTable table, int end)
    {
        var hadRoom = _hasRoom;
        if (!hadRoom && table.MaxExpansion != 0 && end - _position <= SmallMessageBytes)
        {
            Out.Ensure((end - _position + 2) * table.MaxExpansion);
            if (TryWriteSmall(table, end)) return;
            _hasRoom = true;
        }
        if (table.WellKnown == WellKnown.None)
        {
            EnsureRoom(1);
            Out.Byte((byte)'{');
            WriteFields(table, end, isFirst: true);
            EnsureRoom(1);
            Out.Byte((byte)'}');
        }
        else
        {
            WellKnownToJson.Write(ref this, table, end);
        }
        _hasRoom = hadRoom;
    }

    private bool TryWriteSmall(MessageTable table, int end)
    {
        if (!table.IsPlain || _depth > _options.MaxDepth - TranscodeCache.MaxDepth) return false;
        var message = _wire[_position..end];
        var isKept = _wire.Length >= TranscodeCache.MinInputBytes
            && message.Length is >= MinKeptBytes and <= TranscodeCache.MaxWireBytes;
        if (isKept && _state.ToJson.TryFind(table, message, out var known))
        {
            Out.Raw(known);
            _position = end;
            return true;
        }
        var room = Out.Room;
        var written = new SmallMessages(_wire, room, _floats).Write(table, _position, end, 0, 0);
        if (written < 0) return false;
        if (isKept) _state.ToJson.Add(table, message, message.Length, room[..written]);
        Out.Position += written;
        _position = end;
        return true;
    }

    /// <summary>Writes the fields of the message from here to <paramref name="end"/>, without braces.</summary>
    public void WriteFields(MessageTable table, int end, bool isFirst)
    {
        var start = _position;
        // Checked before writing: a field that is overwritten later may have no JSON form, and starting again at every level would double
        // the work on each.
        if (IsInOrder(table, end))
        {
            _position = start;
            if (!TryWriteInOrder(table, end, isFirst)) ThrowMalformed("fields changed their order");
            return;
        }
        _position = start;
        using var fields = UnorderedFields.Read(ref this, table, end);
        fields.Write(ref this, isFirst);
    }

    /// <summary>Writes a field whose message has several parts, concatenated in <paramref name="merged"/>.</summary>
    public void WriteMerged(FieldTable field, ReadOnlySpan<byte> merged, ref bool isFirst)
    {
        // Each level of nesting may merge again; the limit on the input size bounds the total.
        _merged += merged.Length;
        if (_merged > 2L * _options.MaxInputBytes)
            Throw(ProtoJsonError.LimitExceeded, "merging the parts of its messages needs too much memory");
        WriteName(field, ref isFirst);
        var position = _position;
        var wire = _wire;
        _position = 0;
        _wire = merged;
        Descend();
        WriteMessage(field.Message!, merged.Length);
        Ascend();
        _position = position;
        _wire = wire;
    }

    private bool TryWriteInOrder(MessageTable table, int end, bool isFirst)
    {
        var lastIndex = -1;
        var oneofs = 0UL;
        if (!table.HasFewOneofs) return false;
        while (_position < end)
        {
            var tag = ReadTag(end);
            var field = table.Find(tag);
            if (field is null)
            {
                SkipValue(tag, end);
                continue;
            }
            if (field.Index <= lastIndex) return false;
            lastIndex = field.Index;
            if ((oneofs & field.OneofBit) != 0) return false;
            oneofs |= field.OneofBit;
            if (field.IsRepeated) WriteRepeatedRun(field, tag, end, ref isFirst);
            else if (field.IsMap) MapGather.WriteRun(ref this, field, end, ref isFirst);
            else WriteSingular(field, tag, end, ref isFirst);
        }
        return true;
    }

    // The same pass without writing.
    private bool IsInOrder(MessageTable table, int end)
    {
        var lastIndex = -1;
        var oneofs = 0UL;
        if (!table.HasFewOneofs) return false;
        while (_position < end)
        {
            var tag = ReadTag(end);
            SkipValue(tag, end);
            var field = table.Find(tag);
            if (field is null) continue;
            if (field.Index <= lastIndex) return false;
            lastIndex = field.Index;
            if ((oneofs & field.OneofBit) != 0) return false;
            oneofs |= field.OneofBit;
            while (field.IsRepeated || field.IsMap)
            {
                if (!TryReadTagOf(field, end, out tag)) break;
                SkipValue(tag, end);
            }
        }
        return true;
    }

    /// <summary>Writes name and value of a singular field whose tag was read; nothing for a default value without presence.</summary>
    public void WriteSingular(FieldTable field, uint tag, int end, ref bool isFirst)
    {
        if (field.WireType == WireFormat.WireType.LengthDelimited || field.Kind == FieldKind.Group)
        {
            var valueEnd = ReadValueEnd(field, tag, end, out var after);
            if (!field.HasPresence && valueEnd == _position && field.Kind != FieldKind.Message) return;
            WriteName(field, ref isFirst);
            WriteLengthDelimited(field, valueEnd);
            _position = after;
            return;
        }
        var value = ReadScalar(field.WireType, end);
        if (!field.HasPresence && IsDefault(field.Kind, value)) return;
        WriteName(field, ref isFirst);
        WriteScalar(field, value);
    }

    /// <summary>Writes consecutive repeated values, whose first tag was read.</summary>
    private void WriteRepeatedRun(FieldTable field, uint tag, int end, ref bool isFirst)
    {
        var count = 0;
        do
        {
            WriteElements(field, tag, end, ref count, ref isFirst);
        }
        while (TryReadTagOf(field, end, out tag));
        EndArray(count);
    }

    /// <summary>Writes the content after one tag of a repeated field: one value, or several packed ones.</summary>
    public void WriteElements(FieldTable field, uint tag, int end, ref int count, ref bool isFirst)
    {
        if (tag == field.PackedTag && field.PackedTag != 0)
        {
            var packedEnd = ReadLength(end);
            while (_position < packedEnd)
            {
                BeginElement(field, ref count, ref isFirst);
                WriteScalar(field, ReadScalar(field.WireType, packedEnd));
            }
            return;
        }
        BeginElement(field, ref count, ref isFirst);
        WriteValue(field, tag, end);
    }

    public void EndArray(int count)
    {
        if (count == 0) return;
        EnsureRoom(1);
        Out.Byte((byte)']');
    }

    private void BeginElement(FieldTable field, ref int count, ref bool isFirst)
    {
        if (count++ == 0)
        {
            WriteName(field, ref isFirst);
            EnsureRoom(1);
            Out.Byte((byte)'[');
            return;
        }
        EnsureRoom(JsonSink.NumberBytes);
        Out.Byte((byte)',');
    }

    /// <summary>Writes the value after the current tag.</summary>
    public void WriteValue(FieldTable field, uint tag, int end)
    {
        if (field.WireType == WireFormat.WireType.LengthDelimited || field.Kind == FieldKind.Group)
        {
            var valueEnd = ReadValueEnd(field, tag, end, out var after);
            WriteLengthDelimited(field, valueEnd);
            _position = after;
            return;
        }
        WriteScalar(field, ReadScalar(field.WireType, end));
    }

    /// <summary>Writes a string, bytes, or a message from here to <paramref name="valueEnd"/>.</summary>
    public void WriteLengthDelimited(FieldTable field, int valueEnd)
    {
        switch (field.Kind)
        {
            case FieldKind.String when _hasRoom: Out.String(_wire[_position..valueEnd]); break;
            case FieldKind.String: Out.LongString(_wire[_position..valueEnd]); break;
            case FieldKind.Bytes when _hasRoom: Out.Base64(_wire[_position..valueEnd]); break;
            case FieldKind.Bytes: Out.LongBase64(_wire[_position..valueEnd]); break;
            default:
                Descend();
                WriteMessage(field.Message!, valueEnd);
                Ascend();
                break;
        }
        _position = valueEnd;
    }

    /// <summary>Writes the name of a member and the comma before it, and reserves memory for a number after it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteName(FieldTable field, ref bool isFirst)
    {
        EnsureRoom(field.CommaName.Length + JsonSink.NumberBytes);
        if (field.IsBare) return;
        Out.Raw(isFirst ? field.NameColon : field.CommaName);
        isFirst = false;
    }

    /// <summary>Writes a number, a bool or an enum.</summary>
    public void WriteScalar(FieldTable field, ulong value)
    {
        EnsureRoom(JsonSink.NumberBytes + (field.Enum?.LongestName ?? 0));
        Out.Scalar(field, value, _floats);
    }

    /// <summary>Whether a value equals the default of its kind.</summary>
    public static bool IsDefault(FieldKind kind, ulong value) => kind switch
    {
        // Zero has a sign, which Google's formatter ignores.
        FieldKind.Float => (value & 0x7FFFFFFF) == 0,
        FieldKind.Double => (value & 0x7FFFFFFFFFFFFFFF) == 0,
        FieldKind.Int32 or FieldKind.UInt32 or FieldKind.SInt32 or FieldKind.Enum => (uint)value == 0,
        _ => value == 0,
    };

    /// <summary>Reserves memory, unless it was reserved for the whole message.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void EnsureRoom(int bytes)
    {
        if (!_hasRoom) Out.Ensure(bytes);
    }

    /// <summary>Enters a submessage; <see cref="Ascend"/> leaves it.</summary>
    public void Descend()
    {
        if (_depth++ >= _options.MaxDepth) Throw(ProtoJsonError.LimitExceeded, $"messages are nested deeper than {_options.MaxDepth}");
    }

    public void Ascend() => _depth--;

    /// <summary>The table of a type named in an Any; null if it is not known.</summary>
    public readonly MessageTable? FindInAny(string fullName) => _compiler.FindInAny(fullName);

    public readonly int Position => _position;

    public void MoveTo(int position) => _position = position;

    public readonly ReadOnlySpan<byte> Slice(int start, int end) => _wire[start..end];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public uint ReadTag(int end)
    {
        var tag = ReadVarint(end);
        if (tag - 8 > uint.MaxValue - 8) ThrowMalformed("a field number is out of range");
        return (uint)tag;
    }

    /// <summary>Reads the next tag if it belongs to this field; otherwise does not advance.</summary>
    public bool TryReadTagOf(FieldTable field, int end, out uint tag)
    {
        tag = 0;
        if (_position >= end) return false;
        var start = _position;
        tag = ReadTag(end);
        if (tag == field.Tag || (field.PackedTag != 0 && tag == field.PackedTag)) return true;
        _position = start;
        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadVarint(int end)
    {
        if (_position < end)
        {
            ulong first = _wire[_position];
            if (first < 0x80)
            {
                _position++;
                return first;
            }
        }
        return ReadLongVarint(end);
    }

    private ulong ReadLongVarint(int end)
    {
        if (!Varint.TryRead(_wire[..end], ref _position, out var value))
            ThrowMalformed(end - _position < Varint.MaxBytes ? "a varint is cut off" : "a varint is longer than ten bytes");
        return value;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadScalar(WireFormat.WireType type, int end)
    {
        if (type == WireFormat.WireType.Varint) return ReadVarint(end);
        ulong value;
        if (type == WireFormat.WireType.Fixed32)
        {
            if (end - _position < 4) ThrowMalformed("a fixed value is cut off");
            value = BinaryPrimitives.ReadUInt32LittleEndian(_wire[_position..]);
            _position += 4;
            return value;
        }
        if (end - _position < 8) ThrowMalformed("a fixed value is cut off");
        value = BinaryPrimitives.ReadUInt64LittleEndian(_wire[_position..]);
        _position += 8;
        return value;
    }

    /// <summary>Reads the length of a string, bytes or a message and returns its end.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ReadLength(int end)
    {
        var length = ReadVarint(end);
        if (length > (ulong)(end - _position)) ThrowMalformed("a field is longer than its message");
        return _position + (int)length;
    }

    /// <summary>Returns the end of the value that begins here, and the start of the next field: these differ for a group.</summary>
    public int ReadValueEnd(FieldTable field, uint tag, int end, out int after)
    {
        if (field.Kind != FieldKind.Group)
        {
            after = ReadLength(end);
            return after;
        }
        var start = _position;
        var valueEnd = SkipGroup(tag, end);
        after = _position;
        _position = start;
        return valueEnd;
    }

    /// <summary>Skips the value after a tag.</summary>
    public void SkipValue(uint tag, int end)
    {
        switch (WireFormat.GetTagWireType(tag))
        {
            case WireFormat.WireType.Varint: ReadVarint(end); break;
            case WireFormat.WireType.Fixed64: ReadScalar(WireFormat.WireType.Fixed64, end); break;
            case WireFormat.WireType.Fixed32: ReadScalar(WireFormat.WireType.Fixed32, end); break;
            case WireFormat.WireType.LengthDelimited: _position = ReadLength(end); break;
            case WireFormat.WireType.StartGroup: SkipGroup(tag, end); break;
            default: ThrowMalformed("invalid wire type"); break;
        }
    }

    /// <summary>Validates a value at <paramref name="start"/> with everything in it, and restores the position.</summary>
    public void CheckValue(FieldTable field, uint tag, int start, int end)
    {
        var position = _position;
        _position = start;
        CheckValue(field, tag, end);
        _position = position;
    }

    /// <summary>Validates the fields from here to <paramref name="end"/>, without the content of submessages.</summary>
    public void CheckFields(int end)
    {
        while (_position < end) SkipValue(ReadTag(end), end);
    }

    private void CheckValue(FieldTable? field, uint tag, int end)
    {
        if (field?.Message is not { } message || WireFormat.GetTagWireType(tag) != WireFormat.WireType.LengthDelimited)
        {
            SkipValue(tag, end);
            return;
        }
        var valueEnd = ReadLength(end);
        Descend();
        while (_position < valueEnd)
        {
            var inner = ReadTag(valueEnd);
            CheckValue(message.Find(inner), inner, valueEnd);
        }
        Ascend();
    }

    // Returns the start of the end tag and advances the position past it.
    private int SkipGroup(uint startTag, int end)
    {
        Descend();
        while (true)
        {
            if (_position >= end) ThrowMalformed("a group is cut off");
            var tagStart = _position;
            var tag = ReadTag(end);
            if (WireFormat.GetTagWireType(tag) != WireFormat.WireType.EndGroup)
            {
                SkipValue(tag, end);
                continue;
            }
            if (WireFormat.GetTagFieldNumber(tag) != WireFormat.GetTagFieldNumber(startTag))
                ThrowMalformed("a group ends with another field number");
            Ascend();
            return tagStart;
        }
    }

    [DoesNotReturn]
    public readonly void ThrowMalformed(string problem) => Throw(ProtoJsonError.Malformed, problem);

    [DoesNotReturn]
    public readonly void Throw(ProtoJsonError error, string problem) =>
        throw new ProtoJsonException(error, $"byte {_position}: {problem}", _position);
}
