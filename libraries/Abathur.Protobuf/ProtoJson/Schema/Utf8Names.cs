using System.Buffers.Binary;
using System.Text;

namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>A lookup table of names by their UTF-8 bytes: open addressing, at most half full.</summary>
internal sealed class Utf8Names<T>
    where T : class
{
    private readonly (byte[] Name, T Value)[] _slots;
    private readonly int _mask;

    /// <summary>Of equal names, the last one counts.</summary>
    public Utf8Names(IReadOnlyCollection<KeyValuePair<string, T>> names)
    {
        var size = 4;
        while (size < 2 * names.Count) size *= 2;
        _slots = new (byte[], T)[size];
        _mask = size - 1;
        foreach (var (name, value) in names) Add(Encoding.UTF8.GetBytes(name), value);
    }

    public T? Find(ReadOnlySpan<byte> name)
    {
        for (var slot = Hash(name) & _mask; _slots[slot].Name is { } candidate; slot = (slot + 1) & _mask)
        {
            if (name.SequenceEqual(candidate)) return _slots[slot].Value;
        }
        return null;
    }

    private void Add(byte[] name, T value)
    {
        var slot = Hash(name) & _mask;
        while (_slots[slot].Name is { } taken && !taken.AsSpan().SequenceEqual(name)) slot = (slot + 1) & _mask;
        _slots[slot] = (name, value);
    }

    // Names come from the schema, not from the input, so an attacker cannot cause collisions.
    private static int Hash(ReadOnlySpan<byte> name)
    {
        ulong head = 0, tail = 0;
        if (name.Length >= 8)
        {
            head = BinaryPrimitives.ReadUInt64LittleEndian(name);
            tail = BinaryPrimitives.ReadUInt64LittleEndian(name[^8..]);
        }
        else
        {
            foreach (var each in name) head = (head << 8) | each;
        }
        var mixed = (head ^ ulong.RotateLeft(tail, 29) ^ (ulong)name.Length) * 0x9E3779B97F4A7C15;
        return (int)(mixed >> 33);
    }
}
