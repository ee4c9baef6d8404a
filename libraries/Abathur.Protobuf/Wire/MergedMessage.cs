using Google.Protobuf;

namespace Abathur.Protobuf.Wire;

/// <summary>
/// A kind of message whose parts are merged into one, as a parser of protobuf does. Writers may leave that to the reader, but some readers
/// keep only the last part of a message that occurs once (rust-protobuf 2.28, protobufjs 6). A tree of the fields that hold such messages;
/// the key is the field's number.
/// </summary>
public sealed class MergedMessage : Dictionary<int, MergedMessage>
{
    /// <summary>Expected bytes of the length of a merged message; others are right too.</summary>
    private const int LengthBytes = 3;

    /// <summary>Writes one message with all fields of the parts, ordered by their numbers. Repeated ones keep their order.</summary>
    /// <param name="parts">Serialized parts, one behind the other.</param>
    /// <param name="output">Where the fields are appended.</param>
    /// <exception cref="InvalidDataException">A part is damaged. Some fields may have been written.</exception>
    public void Write(ReadOnlySpan<byte> parts, WireWriter output)
    {
        if (IsOne(parts))
        {
            output.Write(parts);
            return;
        }
        var fields = new List<Field>();
        var reader = new WireReader(parts);
        while (reader.ReadTag())
        {
            var isMerged = reader.WireType == WireFormat.WireType.LengthDelimited && ContainsKey(reader.FieldNumber);
            var start = reader.FieldStart;
            Range content = default;
            if (isMerged) content = reader.ReadRange();
            else reader.SkipValue();
            fields.Add(new Field(reader.FieldNumber, fields.Count, start..reader.Position, content, isMerged));
        }
        fields.Sort();
        for (var i = 0; i < fields.Count;)
        {
            var end = i + 1;
            while (end < fields.Count && fields[end].IsMergedWith(fields[i])) end++;
            var first = fields[i];
            var isWritten = end == i + 1 && (!first.IsMerged || this[first.Number].IsOne(parts[first.Content]));
            if (isWritten) output.Write(parts[first.All]);
            else WriteMerged(parts, fields[i..end], output);
            i = end;
        }
    }

    /// <summary>Whether the fields are in order already, and none that is merged occurs twice: nothing has to be written again.</summary>
    /// <exception cref="InvalidDataException">A part is damaged.</exception>
    public bool IsOne(ReadOnlySpan<byte> parts)
    {
        var reader = new WireReader(parts);
        var (last, wasMerged) = (0, false);
        while (reader.ReadTag())
        {
            if (reader.FieldNumber < last || (reader.FieldNumber == last && wasMerged)) return false;
            var isMerged = TryGetValue(reader.FieldNumber, out var message) && reader.WireType == WireFormat.WireType.LengthDelimited;
            if (isMerged && !message!.IsOne(reader.ReadBytes())) return false;
            if (!isMerged) reader.SkipValue();
            (last, wasMerged) = (reader.FieldNumber, isMerged);
        }
        return true;
    }

    private void WriteMerged(ReadOnlySpan<byte> parts, List<Field> fields, WireWriter output)
    {
        var together = new WireWriter(fields.Sum(each => each.All.End.Value - each.All.Start.Value));
        foreach (var field in fields) together.Write(parts[field.Content]);
        var message = output.Begin(fields[0].Number, LengthBytes);
        this[fields[0].Number].Write(together.WrittenSpan, output);
        output.End(message);
    }

    private readonly record struct Field(int Number, int Index, Range All, Range Content, bool IsMerged) : IComparable<Field>
    {
        // Fields of the number that are no messages come first: to a parser they are unknown.
        public int CompareTo(Field other) => (Number, IsMerged, Index).CompareTo((other.Number, other.IsMerged, other.Index));

        public bool IsMergedWith(Field other) => IsMerged && other.IsMerged && Number == other.Number;
    }
}
