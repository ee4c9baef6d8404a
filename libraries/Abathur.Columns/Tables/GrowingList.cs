namespace Abathur.Columns.Tables;

/// <summary>A list that gives spans of its array and keeps its memory when it is cleared.</summary>
internal sealed class GrowingList<T>
{
    private T[] _items = new T[64];

    public int Count { get; private set; }

    public Span<T> Span => _items.AsSpan(0, Count);

    public ref T this[int index] => ref _items[index];

    public void Add(T item)
    {
        if (Count == _items.Length) Array.Resize(ref _items, 2 * Count);
        _items[Count++] = item;
    }

    /// <summary>Removes the items after the first <paramref name="count"/> items.</summary>
    public void Truncate(int count) => Count = count;
}
