using System.Buffers;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.Wire;

namespace Abathur.Protobuf.ProtoJson.State;

/// <summary>The entries of a map in the order of writing: of equal keys, the first entry gets the last value.</summary>
internal static class MapEntries
{
    private const int MaxLinear = 8;

    /// <summary>Rewrites the entries from <paramref name="start"/> on, which were written last, if there are equal keys.</summary>
    public static void DropOverwritten(WireScratch scratch, FieldTable map, int start)
    {
        var written = scratch.Written[start..];
        var entries = ArrayPool<Entry>.Shared.Rent(16);
        int[] slots = [];
        var (count, position, hasTwins) = (0, 0, false);
        try
        {
            while (position < written.Length)
            {
                var entry = ReadEntry(written, map, ref position);
                if (count == entries.Length) Grow(ref entries);
                var known = Find(written, entries, count, entry, ref slots);
                if (known < 0)
                {
                    entries[count++] = entry;
                    continue;
                }
                hasTwins = true;
                entries[known] = entry;
            }
            if (hasTwins) Rewrite(scratch, entries.AsSpan(0, count), start);
        }
        finally
        {
            ArrayPool<Entry>.Shared.Return(entries);
            if (slots.Length > 0) ArrayPool<int>.Shared.Return(slots);
        }
    }

    private static void Rewrite(WireScratch scratch, ReadOnlySpan<Entry> entries, int start)
    {
        var length = scratch.Position - start;
        var old = ArrayPool<byte>.Shared.Rent(length);
        scratch.Written[start..].CopyTo(old);
        scratch.Position = start;
        foreach (var entry in entries) scratch.Raw(old.AsSpan(entry.Start, entry.End - entry.Start));
        ArrayPool<byte>.Shared.Return(old);
    }

    // A default key is not written; it is the empty slice then.
    private static Entry ReadEntry(ReadOnlySpan<byte> written, FieldTable map, ref int position)
    {
        var start = position;
        var reader = new WireReader(written[start..]);
        reader.ReadTag();
        reader.ReadBytes();
        position = start + reader.Position;
        var key = map.Message!.Fields[0];
        var content = start + map.TagBytes.Length;
        while (written[content++] >= 0x80)
        {
        }
        var fields = new WireReader(written[content..position]);
        if (!fields.ReadTag() || fields.FieldNumber != key.Number) return new Entry(start, position, content, content);
        fields.SkipValue();
        return new Entry(start, position, content, content + fields.Position);
    }

    private static int Find(ReadOnlySpan<byte> written, Entry[] entries, int count, Entry entry, ref int[] slots)
    {
        var key = written[entry.KeyStart..entry.KeyEnd];
        if (count < MaxLinear)
        {
            for (var i = 0; i < count; i++)
            {
                if (key.SequenceEqual(written[entries[i].KeyStart..entries[i].KeyEnd])) return i;
            }
            return -1;
        }
        if (slots.Length < 2 * (count + 1))
        {
            if (slots.Length > 0) ArrayPool<int>.Shared.Return(slots);
            slots = ArrayPool<int>.Shared.Rent(4 * (count + 1));
            slots.AsSpan().Clear();
            for (var i = 0; i < count; i++) slots[SlotOf(written, entries, slots, written[entries[i].KeyStart..entries[i].KeyEnd])] = i + 1;
        }
        var slot = SlotOf(written, entries, slots, key);
        if (slots[slot] != 0) return slots[slot] - 1;
        slots[slot] = count + 1;
        return -1;
    }

    private static int SlotOf(ReadOnlySpan<byte> written, Entry[] entries, int[] slots, ReadOnlySpan<byte> key)
    {
        // HashCode has a random seed per process, so that an attacker cannot cause collisions.
        var hash = default(HashCode);
        hash.AddBytes(key);
        var slot = (uint)hash.ToHashCode() % (uint)slots.Length;
        while (slots[slot] != 0)
        {
            var other = entries[slots[slot] - 1];
            if (key.SequenceEqual(written[other.KeyStart..other.KeyEnd])) break;
            slot = (slot + 1) % (uint)slots.Length;
        }
        return (int)slot;
    }

    private static void Grow(ref Entry[] entries)
    {
        var larger = ArrayPool<Entry>.Shared.Rent(2 * entries.Length);
        entries.CopyTo(larger, 0);
        ArrayPool<Entry>.Shared.Return(entries);
        entries = larger;
    }

    private readonly record struct Entry(int Start, int End, int KeyStart, int KeyEnd);
}
