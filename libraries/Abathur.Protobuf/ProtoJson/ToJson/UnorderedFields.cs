using System.Buffers;
using Abathur.Protobuf.ProtoJson.Schema;

namespace Abathur.Protobuf.ProtoJson.ToJson;

/// <summary>
/// The fields of a message that are out of order or repeated: records the position of each, sorts the records, and writes the fields
/// with protobuf's rules for merging. Uses rented memory; dispose it.
/// </summary>
internal struct UnorderedFields : IDisposable
{
    // State of a oneof in the backward pass: no member seen yet; another member seen before the last one.
    private const int Undecided = -1;
    private const int Closed = -2;
    private readonly MessageTable _table;
    private Note[] _notes;
    private int _count;

    private UnorderedFields(MessageTable table)
    {
        _table = table;
        _notes = ArrayPool<Note>.Shared.Rent(16);
    }

    /// <summary>Records the fields from here to <paramref name="end"/>.</summary>
    public static UnorderedFields Read(ref WireToJson reader, MessageTable table, int end)
    {
        var gather = new UnorderedFields(table);
        try
        {
            while (reader.Position < end)
            {
                var tag = reader.ReadTag(end);
                var valueStart = reader.Position;
                reader.SkipValue(tag, end);
                if (table.Find(tag) is { } field) gather.Add(new Note(field.Index, gather._count, tag, valueStart, reader.Position));
            }
            gather.DropOverwrittenOneofs(ref reader);
            gather._notes.AsSpan(0, gather._count).Sort();
            return gather;
        }
        catch
        {
            gather.Dispose();
            throw;
        }
    }

    /// <summary>Whether there are no fields.</summary>
    public readonly bool IsEmpty => _count == 0;

    /// <summary>Writes the fields.</summary>
    public readonly void Write(ref WireToJson writer, bool isFirst)
    {
        var end = writer.Position;
        for (var from = 0; from < _count;)
        {
            var to = from + 1;
            while (to < _count && _notes[to].Index == _notes[from].Index) to++;
            WriteField(ref writer, _table.Fields[_notes[from].Index], _notes.AsSpan(from, to - from), ref isFirst);
            from = to;
        }
        writer.MoveTo(end);
    }

    public void Dispose()
    {
        ArrayPool<Note>.Shared.Return(_notes);
        _notes = [];
        _count = 0;
    }

    private static void WriteField(ref WireToJson writer, FieldTable field, ReadOnlySpan<Note> notes, ref bool isFirst)
    {
        if (field.IsRepeated)
        {
            var count = 0;
            foreach (var note in notes)
            {
                writer.MoveTo(note.Start);
                writer.WriteElements(field, note.Tag, note.End, ref count, ref isFirst);
            }
            writer.EndArray(count);
            return;
        }
        if (field.IsMap)
        {
            WriteMap(ref writer, field, notes, ref isFirst);
            return;
        }
        var last = notes[^1];
        writer.MoveTo(last.Start);
        if (notes.Length == 1 || field.Message is null) writer.WriteSingular(field, last.Tag, last.End, ref isFirst);
        else WriteMerged(ref writer, field, notes, ref isFirst);
    }

    private static void WriteMap(ref WireToJson writer, FieldTable field, ReadOnlySpan<Note> notes, ref bool isFirst)
    {
        var map = new MapGather(field);
        try
        {
            foreach (var note in notes)
            {
                writer.MoveTo(note.Start);
                map.Add(ref writer, note.End);
            }
            map.Write(ref writer, ref isFirst);
        }
        finally
        {
            map.Dispose();
        }
    }

    // The parts of a message are equivalent to their concatenation.
    private static void WriteMerged(ref WireToJson writer, FieldTable field, ReadOnlySpan<Note> notes, ref bool isFirst)
    {
        var size = 0;
        foreach (var note in notes) size += note.End - note.Start;
        var merged = ArrayPool<byte>.Shared.Rent(size);
        try
        {
            var length = 0;
            foreach (var note in notes)
            {
                writer.MoveTo(note.Start);
                var valueEnd = writer.ReadValueEnd(field, note.Tag, note.End, out _);
                var piece = writer.Slice(writer.Position, valueEnd);
                // Check each part, because in the concatenation a truncated value would continue in the next part.
                writer.CheckFields(valueEnd);
                piece.CopyTo(merged.AsSpan(length));
                length += piece.Length;
            }
            writer.WriteMerged(field, merged.AsSpan(0, length), ref isFirst);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(merged);
        }
    }

    // Of the members of a oneof the last one counts, and only its occurrences after any other member.
    private void DropOverwrittenOneofs(ref WireToJson reader)
    {
        if (_table.Oneofs == 0) return;
        var winners = ArrayPool<int>.Shared.Rent(_table.Oneofs);
        winners.AsSpan(0, _table.Oneofs).Fill(Undecided);
        var kept = _count;
        for (var i = _count - 1; i >= 0; i--)
        {
            var note = _notes[i];
            var oneof = _table.Fields[note.Index].Oneof;
            if (oneof >= 0)
            {
                ref var winner = ref winners[oneof];
                if (winner == Undecided) winner = note.Index;
                else if (winner != note.Index) winner = Closed;
                if (winner == Closed)
                {
                    // An overwritten value has to be valid, too.
                    reader.CheckValue(_table.Fields[note.Index], note.Tag, note.Start, note.End);
                    continue;
                }
            }
            _notes[--kept] = note;
        }
        ArrayPool<int>.Shared.Return(winners);
        _notes.AsSpan(kept, _count - kept).CopyTo(_notes);
        _count -= kept;
    }

    private void Add(Note note)
    {
        if (_count == _notes.Length)
        {
            var larger = ArrayPool<Note>.Shared.Rent(2 * _count);
            _notes.CopyTo(larger, 0);
            ArrayPool<Note>.Shared.Return(_notes);
            _notes = larger;
        }
        _notes[_count++] = note;
    }

    /// <summary>One occurrence of a field: index, sequence number, tag, and position of its value (including the length prefix).</summary>
    private readonly record struct Note(int Index, int Sequence, uint Tag, int Start, int End) : IComparable<Note>
    {
        public int CompareTo(Note other) => Index != other.Index ? Index.CompareTo(other.Index) : Sequence.CompareTo(other.Sequence);
    }
}
