using System.Security.Cryptography;

namespace Abathur.Columns.Encoding;

/// <summary>Maps unit tags to rows: a hash table with open addressing and linear probing, at most half full.</summary>
internal sealed class TagRows
{
    private const int MinCapacity = 64;

    // A random factor that cannot be guessed: with tags chosen to collide, every frame would take quadratic time.
    private readonly ulong _factor = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(8)) | 1;
    private ulong[] _tags = new ulong[MinCapacity];
    private int[] _rows = NewRows(MinCapacity);
    private int _shift = 64 - 6;
    private int _count;

    public void Clear()
    {
        _rows.AsSpan().Fill(-1);
        _count = 0;
    }

    /// <summary>The row, or -1.</summary>
    public int Find(ulong tag) => _rows[SlotOf(tag)];

    /// <summary>Adds a tag; false if it already exists.</summary>
    public bool TryAdd(ulong tag, int row)
    {
        if (2 * (_count + 1) > _rows.Length) Grow();
        var slot = SlotOf(tag);
        if (_rows[slot] >= 0) return false;
        _tags[slot] = tag;
        _rows[slot] = row;
        _count++;
        return true;
    }

    private int SlotOf(ulong tag)
    {
        var slot = (int)((tag * _factor) >> _shift);
        while (_rows[slot] >= 0 && _tags[slot] != tag) slot = (slot + 1) & (_rows.Length - 1);
        return slot;
    }

    private void Grow()
    {
        var (tags, rows) = (_tags, _rows);
        _tags = new ulong[2 * tags.Length];
        _rows = NewRows(_tags.Length);
        _shift--;
        _count = 0;
        for (var i = 0; i < rows.Length; i++)
        {
            if (rows[i] >= 0) TryAdd(tags[i], rows[i]);
        }
    }

    private static int[] NewRows(int capacity)
    {
        var rows = new int[capacity];
        rows.AsSpan().Fill(-1);
        return rows;
    }
}
