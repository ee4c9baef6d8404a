using System.Numerics;

namespace Abathur.Client;

/// <summary>Finds rows by tag: open addressing, whose memory is used again. Of equal tags the last row counts.</summary>
internal sealed class TagIndex
{
    private ulong[] _tags = [];
    private int[] _rows = [];
    private int _mask;

    /// <summary>Makes the index that of a column.</summary>
    public void Build(ReadOnlySpan<ulong> tags)
    {
        Clear(tags.Length);
        for (var row = 0; row < tags.Length; row++) Set(tags[row], row);
    }

    /// <summary>Empties the index, with room for a number of tags.</summary>
    public void Clear(int count)
    {
        var size = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(16, 2 * count));
        if (_rows.Length < size) (_tags, _rows) = (new ulong[size], new int[size]);
        _mask = size - 1;
        _rows.AsSpan(0, size).Fill(-1);
    }

    /// <summary>Sets the row of a tag. There must be room.</summary>
    public void Set(ulong tag, int row)
    {
        var slot = SlotOf(tag);
        (_tags[slot], _rows[slot]) = (tag, row);
    }

    /// <summary>The row of a tag; -1 if no row has it.</summary>
    public int Find(ulong tag) => _rows.Length == 0 ? -1 : _rows[SlotOf(tag)];

    private int SlotOf(ulong tag)
    {
        // The high half of the product depends on all bits of the tag.
        var slot = (int)(tag * 0x9E3779B97F4A7C15 >> 40) & _mask;
        while (_rows[slot] >= 0 && _tags[slot] != tag) slot = slot + 1 & _mask;
        return slot;
    }
}
