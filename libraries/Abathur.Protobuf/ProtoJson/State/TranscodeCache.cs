using System.Buffers.Binary;
using Abathur.Protobuf.ProtoJson.Schema;

namespace Abathur.Protobuf.ProtoJson.State;

/// <summary>
/// A cache of transcoded small messages. Most units of a frame have the same bytes as in the previous frame; a comparison and a copy
/// then replace the transcoding of two dozen fields. Bounded: a set of four entries per hash, so that a frame of 1,500 units keeps nearly
/// all of them.
/// </summary>
internal sealed class TranscodeCache
{
    /// <summary>Minimum size of the input for which the cache is worth its memory: frames, not the small messages between them.</summary>
    public const int MinInputBytes = 1 << 14;

    /// <summary>Longest protobuf of a cached message.</summary>
    public const int MaxWireBytes = 256;

    /// <summary>Longest JSON of a cached message.</summary>
    public const int MaxJsonBytes = 1024;

    /// <summary>Maximum nesting inside a cached message.</summary>
    public const int MaxDepth = 8;

    private const int Ways = 4;
    private const int Slots = 1 << 12;
    private const int SlotBytes = MaxWireBytes + MaxJsonBytes;
    private const ulong Multiplier = 0x9E3779B97F4A7C15;
    private readonly int _hashedBytes;
    private readonly Entry[] _entries = new Entry[Slots];
    private readonly byte[] _bytes = new byte[Slots * SlotBytes];

    /// <param name="hashedBytes">Number of hashed bytes at the start of a key: enough to identify the message (a unit's tag is its third
    /// field), without what may have changed.</param>
    public TranscodeCache(int hashedBytes) => _hashedBytes = hashedBytes;

    /// <summary>Finds the result for a key of exactly these bytes.</summary>
    public bool TryFind(MessageTable table, ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        value = default;
        var slot = Find(HashOf(key));
        if (slot < 0) return false;
        ref readonly var entry = ref _entries[slot];
        if (entry.Table != table || entry.KeyLength != key.Length || !key.SequenceEqual(Key(slot, entry))) return false;
        value = Value(slot, entry);
        return true;
    }

    /// <summary>Finds the result for the key at the start of a text; <paramref name="keyLength"/> is its length in bytes.</summary>
    public bool TryFindAtStart(MessageTable table, ReadOnlySpan<byte> text, out int keyLength, out ReadOnlySpan<byte> value)
    {
        value = default;
        keyLength = 0;
        if (text.Length < _hashedBytes) return false;
        var slot = Find(HashOf(text));
        if (slot < 0) return false;
        ref readonly var entry = ref _entries[slot];
        if (entry.Table != table || !text.StartsWith(Key(slot, entry))) return false;
        keyLength = entry.KeyLength;
        value = Value(slot, entry);
        return true;
    }

    /// <summary>Adds the result for a key. It replaces the entry with the same hash, which is usually the same unit before, or else one of
    /// its set. <paramref name="text"/>: the key and, if it is short, the text after it.</summary>
    public void Add(MessageTable table, ReadOnlySpan<byte> text, int keyLength, ReadOnlySpan<byte> value)
    {
        if (keyLength + value.Length > SlotBytes) return;
        var hash = HashOf(text);
        var slot = Find(hash);
        if (slot < 0) slot = Replaced(hash);
        text[..keyLength].CopyTo(_bytes.AsSpan(slot * SlotBytes));
        value.CopyTo(_bytes.AsSpan((slot * SlotBytes) + keyLength));
        _entries[slot] = new Entry(table, hash, keyLength, value.Length);
    }

    /// <summary>The slot of a hash, which is in at most one; negative: none.</summary>
    private int Find(uint hash)
    {
        var first = FirstSlot(hash);
        for (var slot = first; slot < first + Ways; slot++)
        {
            if (_entries[slot].Hash == hash && _entries[slot].Table is not null) return slot;
        }
        return -1;
    }

    /// <summary>The slot for a hash that is in none.</summary>
    private int Replaced(uint hash)
    {
        var first = FirstSlot(hash);
        for (var slot = first; slot < first + Ways; slot++)
        {
            if (_entries[slot].Table is null) return slot;
        }
        // Always the same one for this hash: replacing the oldest would evict all of a set that is too small.
        return first + ((int)(hash >> 16) % Ways);
    }

    private ReadOnlySpan<byte> Key(int slot, in Entry entry) => _bytes.AsSpan(slot * SlotBytes, entry.KeyLength);

    private ReadOnlySpan<byte> Value(int slot, in Entry entry) => _bytes.AsSpan((slot * SlotBytes) + entry.KeyLength, entry.ValueLength);

    private static int FirstSlot(uint hash) => (int)(hash % (Slots / Ways)) * Ways;

    private uint HashOf(ReadOnlySpan<byte> text)
    {
        var hash = (ulong)Math.Min(text.Length, _hashedBytes);
        var end = Math.Min(text.Length, _hashedBytes) - sizeof(ulong);
        for (var i = 0; i <= end; i += sizeof(ulong))
            hash = (ulong.RotateLeft(hash, 23) ^ BinaryPrimitives.ReadUInt64LittleEndian(text[i..])) * Multiplier;
        return (uint)(hash >> 32);
    }

    private readonly record struct Entry(MessageTable? Table, uint Hash, int KeyLength, int ValueLength);
}
