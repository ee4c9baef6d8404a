namespace Abathur.Mcap;

/// <summary>Positions of the messages of the open chunk, by channel. Lists are reused for the next chunk.</summary>
internal sealed class PendingMessages
{
    /// <summary>Log time and offset within the chunk, in order of arrival.</summary>
    public SortedDictionary<ushort, List<(ulong LogTime, ulong Offset)>> Entries { get; } = [];

    public int Count { get; private set; }

    public ulong FirstTime { get; private set; }

    public ulong LastTime { get; private set; }

    public void Add(ushort channel, ulong logTime, ulong offset)
    {
        if (!Entries.TryGetValue(channel, out var list)) Entries[channel] = list = [];
        list.Add((logTime, offset));
        FirstTime = Count == 0 ? logTime : Math.Min(FirstTime, logTime);
        LastTime = Math.Max(LastTime, logTime);
        Count++;
    }

    public void Clear()
    {
        foreach (var list in Entries.Values) list.Clear();
        (Count, FirstTime, LastTime) = (0, 0, 0);
    }
}
