using Abathur.Protobuf.FieldMasks;
using Abathur.Sc2;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Hub;

/// <summary>
/// What happened once in the newest frames of a match (<see cref="SkippedEvents"/>), for all subscribers: each takes the events of the
/// frames that it did not get. Bounded: the oldest events are dropped first. Thread-safe.
/// </summary>
internal sealed class EventLog
{
    /// <summary>Bytes of all events that are kept. A match of 15,400 frames that was rebuilt from a replay has half of it.</summary>
    public const int MaxBytes = 2 * 1024 * 1024;

    /// <summary>Bytes of events that one frame carries at most.</summary>
    public const int MaxFrameBytes = 256 * 1024;

    /// <summary>Memory of an entry besides its bytes.</summary>
    private const int EntryBytes = 64;

    private readonly Lock _gate = new();
    /// <summary>Entries in the order of their frames. Those before <see cref="_start"/> are dropped.</summary>
    private readonly List<Entry> _entries = [];
    private readonly SkippedEvents _adding = new(MaxFrameBytes);
    private readonly SkippedEvents _reading = new(MaxFrameBytes);
    private ulong _completeFrom;
    private int _start;
    private int _bytes;
    private (ulong First, ulong Last, WireProjection? Mask, SkippedEventsMessage? Message) _latest;

    /// <summary>Adds the events of a frame, if it has any. Frames are added in order.</summary>
    /// <returns>The events, as serialized fields of a <c>ResponseObservation</c>.</returns>
    public ReadOnlyMemory<byte> Add(SharedFrame frame)
    {
        lock (_gate)
        {
            _adding.Clear();
            if (!TryAdd(_adding, frame.Observation.Span)) return default;
            // A copy of the right size: the memory that was written to is twice as long.
            var events = _adding.ToFields().ToArray();
            if (events.Length == 0) return default;
            _entries.Add(new Entry(frame.Sequence, events, _adding.IsIncomplete));
            _bytes += events.Length + EntryBytes;
            while (_bytes > MaxBytes) DropOldest();
            return events;
        }
    }

    /// <summary>The events of frames; null if there are none.</summary>
    /// <param name="first">Sequence of the first frame.</param>
    /// <param name="last">Sequence of the last.</param>
    /// <param name="mask">Field mask of the subscriber; null: everything.</param>
    public SkippedEventsMessage? Between(ulong first, ulong last, WireProjection? mask)
    {
        lock (_gate)
        {
            // Subscribers of one stream ask for the same.
            if (_latest.First == first && _latest.Last == last && ReferenceEquals(_latest.Mask, mask)) return _latest.Message;
            var message = Read(first, last, mask);
            _latest = (first, last, mask, message);
            return message;
        }
    }

    /// <summary>Drops all: no frame is skipped any more.</summary>
    public void Clear()
    {
        lock (_gate)
        {
            _entries.Clear();
            (_start, _bytes, _latest) = (0, 0, default);
        }
    }

    private SkippedEventsMessage? Read(ulong first, ulong last, WireProjection? mask)
    {
        _reading.Clear();
        var isIncomplete = first < _completeFrom;
        for (var i = IndexOf(first); i < _entries.Count && _entries[i].Sequence <= last; i++)
        {
            var entry = _entries[i];
            TryAdd(_reading, entry.Events);
            isIncomplete |= entry.IsIncomplete;
        }
        return SkippedEventsMessage.Of(_reading, mask, isIncomplete);
    }

    /// <summary>Index of the first entry of this frame or a later one, by binary search.</summary>
    private int IndexOf(ulong sequence)
    {
        var (low, high) = (_start, _entries.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (_entries[middle].Sequence < sequence) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    private void DropOldest()
    {
        var oldest = _entries[_start];
        _entries[_start++] = default;
        _bytes -= oldest.Events.Length + EntryBytes;
        _completeFrom = oldest.Sequence + 1;
        if (_start < _entries.Count / 2) return;
        _entries.RemoveRange(0, _start);
        _start = 0;
    }

    /// <summary>False if the observation is damaged, which its encoder reports.</summary>
    private static bool TryAdd(SkippedEvents events, ReadOnlySpan<byte> observation)
    {
        try
        {
            events.Add(observation);
            return true;
        }
        catch (InvalidDataException)
        {
            return false;
        }
    }

    private readonly record struct Entry(ulong Sequence, byte[] Events, bool IsIncomplete);
}
