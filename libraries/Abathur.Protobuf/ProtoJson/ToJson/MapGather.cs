using System.Buffers;
using Abathur.Protobuf.ProtoJson.Schema;

namespace Abathur.Protobuf.ProtoJson.ToJson;

/// <summary>
/// The entries of one map: records the positions of keys and values, and writes them in the order of the first occurrence of each key, with
/// its last value. Uses rented memory; dispose it.
/// </summary>
internal struct MapGather(FieldTable map)
{
    private const int MaxLinear = 8;
    private readonly FieldTable _key = map.Message!.Fields[0];
    private readonly FieldTable _value = map.Message!.Fields[1];
    private Entry[] _entries = ArrayPool<Entry>.Shared.Rent(16);
    private int[] _slots = [];
    private int _count;

    /// <summary>Writes the consecutive entries that begin after the current tag.</summary>
    public static void WriteRun(ref WireToJson writer, FieldTable field, int end, ref bool isFirst)
    {
        var map = new MapGather(field);
        try
        {
            do
            {
                map.Add(ref writer, end);
            }
            while (writer.TryReadTagOf(field, end, out _));
            var after = writer.Position;
            map.Write(ref writer, ref isFirst);
            writer.MoveTo(after);
        }
        finally
        {
            map.Dispose();
        }
    }

    /// <summary>Records the entry whose length is next.</summary>
    public void Add(ref WireToJson reader, int end)
    {
        var entryEnd = reader.ReadLength(end);
        reader.Descend();
        var entry = new Entry { KeyStart = -1, ValueStart = -1 };
        while (reader.Position < entryEnd)
        {
            var tag = reader.ReadTag(entryEnd);
            var start = reader.Position;
            if (tag == _key.Tag && _key.WireType != Google.Protobuf.WireFormat.WireType.LengthDelimited)
            {
                entry.KeyNumber = Canonical(_key.Kind, reader.ReadScalar(_key.WireType, entryEnd));
                continue;
            }
            reader.SkipValue(tag, entryEnd);
            if (tag == _key.Tag)
            {
                reader.MoveTo(start);
                entry.KeyEnd = reader.ReadLength(entryEnd);
                entry.KeyStart = reader.Position;
                reader.MoveTo(entry.KeyEnd);
            }
            else if (tag == _value.Tag)
            {
                CheckOverwritten(ref reader, entry);
                (entry.ValueStart, entry.ValueEnd) = (start, reader.Position);
            }
        }
        reader.Ascend();
        if (_count == _entries.Length) Grow();
        var known = Find(ref reader, entry);
        if (known < 0)
        {
            _entries[_count++] = entry;
            return;
        }
        CheckOverwritten(ref reader, _entries[known]);
        (_entries[known].ValueStart, _entries[known].ValueEnd) = (entry.ValueStart, entry.ValueEnd);
    }

    /// <summary>Writes name and entries; the position of <paramref name="writer"/> is undefined after that.</summary>
    public readonly void Write(ref WireToJson writer, ref bool isFirst)
    {
        if (_count == 0) return;
        writer.WriteName(map, ref isFirst);
        writer.Out.Byte((byte)'{');
        for (var i = 0; i < _count; i++)
        {
            ref readonly var entry = ref _entries[i];
            writer.EnsureRoom(JsonSink.NumberBytes);
            if (i > 0) writer.Out.Byte((byte)',');
            WriteKey(ref writer, entry);
            writer.EnsureRoom(JsonSink.NumberBytes);
            writer.Out.Byte((byte)':');
            WriteValue(ref writer, entry);
        }
        writer.EnsureRoom(1);
        writer.Out.Byte((byte)'}');
    }

    public void Dispose()
    {
        ArrayPool<Entry>.Shared.Return(_entries);
        if (_slots.Length > 0) ArrayPool<int>.Shared.Return(_slots);
        (_entries, _slots, _count) = ([], [], 0);
    }

    // A replaced value has to be valid as well.
    private readonly void CheckOverwritten(ref WireToJson reader, in Entry entry)
    {
        if (entry.ValueStart >= 0) reader.CheckValue(_value, _value.Tag, entry.ValueStart, entry.ValueEnd);
    }

    private readonly void WriteKey(ref WireToJson writer, in Entry entry)
    {
        if (_key.Kind == FieldKind.String)
        {
            if (entry.KeyStart < 0)
            {
                writer.Out.Raw("\"\""u8);
                return;
            }
            writer.MoveTo(entry.KeyStart);
            writer.WriteLengthDelimited(_key, entry.KeyEnd);
            return;
        }
        // 64-bit integers are already quoted.
        var needsQuotes = _key.Kind is not (FieldKind.Int64
            or FieldKind.UInt64
            or FieldKind.SInt64
            or FieldKind.Fixed64
            or FieldKind.SFixed64);
        if (needsQuotes) writer.Out.Byte((byte)'"');
        writer.WriteScalar(_key, entry.KeyNumber);
        if (needsQuotes) writer.Out.Byte((byte)'"');
    }

    private readonly void WriteValue(ref WireToJson writer, in Entry entry)
    {
        if (entry.ValueStart >= 0)
        {
            writer.MoveTo(entry.ValueStart);
            writer.Descend();
            writer.WriteValue(_value, _value.Tag, entry.ValueEnd);
            writer.Ascend();
            return;
        }
        switch (_value.Kind)
        {
            case FieldKind.String or FieldKind.Bytes: writer.Out.Raw("\"\""u8); break;
            case FieldKind.Message:
                writer.MoveTo(0);
                writer.WriteMessage(_value.Message!, 0);
                break;
            default: writer.WriteScalar(_value, 0); break;
        }
    }

    // A few keys are compared linearly, many with a randomly seeded hash.
    private int Find(ref WireToJson reader, in Entry entry)
    {
        if (_count < MaxLinear)
        {
            for (var i = 0; i < _count; i++)
            {
                if (SameKey(ref reader, entry, _entries[i])) return i;
            }
            return -1;
        }
        if (_slots.Length < 2 * (_count + 1)) Rehash(ref reader);
        var slot = SlotOf(ref reader, entry);
        if (_slots[slot] == 0) _slots[slot] = _count + 1;
        return _slots[slot] == _count + 1 ? -1 : _slots[slot] - 1;
    }

    private readonly int SlotOf(ref WireToJson reader, in Entry entry)
    {
        var slot = Hash(ref reader, entry) % (uint)_slots.Length;
        while (_slots[slot] != 0 && !SameKey(ref reader, entry, _entries[_slots[slot] - 1])) slot = (slot + 1) % (uint)_slots.Length;
        return (int)slot;
    }

    private void Rehash(ref WireToJson reader)
    {
        if (_slots.Length > 0) ArrayPool<int>.Shared.Return(_slots);
        _slots = ArrayPool<int>.Shared.Rent(4 * (_count + 1));
        _slots.AsSpan().Clear();
        for (var i = 0; i < _count; i++) _slots[SlotOf(ref reader, _entries[i])] = i + 1;
    }

    private static bool SameKey(ref WireToJson reader, in Entry a, in Entry b) =>
        a.KeyNumber == b.KeyNumber && KeyBytes(ref reader, a).SequenceEqual(KeyBytes(ref reader, b));

    private static uint Hash(ref WireToJson reader, in Entry entry)
    {
        var hash = default(HashCode);
        hash.Add(entry.KeyNumber);
        hash.AddBytes(KeyBytes(ref reader, entry));
        return (uint)hash.ToHashCode();
    }

    private static ReadOnlySpan<byte> KeyBytes(ref WireToJson reader, in Entry entry) =>
        entry.KeyStart < 0 ? default : reader.Slice(entry.KeyStart, entry.KeyEnd);

    // 32-bit values and bools are truncated from longer varints.
    private static ulong Canonical(FieldKind kind, ulong value) => kind switch
    {
        FieldKind.Bool => value == 0 ? 0UL : 1,
        FieldKind.Int32 or FieldKind.UInt32 or FieldKind.SInt32 => (uint)value,
        _ => value,
    };

    private void Grow()
    {
        var larger = ArrayPool<Entry>.Shared.Rent(2 * _count);
        _entries.AsSpan(0, _count).CopyTo(larger);
        ArrayPool<Entry>.Shared.Return(_entries);
        _entries = larger;
    }

    private struct Entry
    {
        public ulong KeyNumber;
        public int KeyStart;
        public int KeyEnd;
        public int ValueStart;
        public int ValueEnd;
    }
}
