using System.Buffers;
using System.Text;
using Abathur.Protobuf.ProtoJson.Schema;

namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>Reads the message types that have a special JSON form and writes their content.</summary>
internal static class WellKnownToWire
{
    // Tags: field 1 and 2 as varint, field 1 with a length.
    private const byte Varint1 = 0x08, Varint2 = 0x10, Length1 = 0x0A;

    // Of google.protobuf.Value: null_value, number_value, string_value, bool_value, struct_value, list_value.
    private const int NullIndex = 0, NumberIndex = 1, StringIndex = 2, BoolIndex = 3, StructIndex = 4, ListIndex = 5;

    /// <summary>Reads the next value.</summary>
    public static void Read(ref JsonToWire reader, MessageTable table)
    {
        switch (table.WellKnown)
        {
            case WellKnown.Timestamp or WellKnown.Duration: ReadTime(ref reader, table.WellKnown == WellKnown.Timestamp); break;
            case WellKnown.FieldMask: ReadFieldMask(ref reader); break;
            case WellKnown.Wrapper: reader.ReadTagged(table.Fields[0], Omission.ExactDefault); break;
            case WellKnown.Any: ReadAny(ref reader, table); break;
            case WellKnown.ListValue: reader.ReadArray(table.Fields[0]); break;
            case WellKnown.Struct:
                if (reader.Json.Peek() != '{') reader.Json.FailExpected("an object for google.protobuf.Struct");
                reader.ReadMap(table.Fields[0]);
                break;
            default: ReadValue(ref reader, table); break;
        }
    }

    private static void ReadValue(ref JsonToWire reader, MessageTable table)
    {
        var index = reader.Json.Peek() switch
        {
            (byte)'n' => NullIndex,
            (byte)'"' => StringIndex,
            (byte)'t' or (byte)'f' => BoolIndex,
            (byte)'{' => StructIndex,
            (byte)'[' => ListIndex,
            (byte)'-' or (>= (byte)'0' and <= (byte)'9') => NumberIndex,
            _ => -1,
        };
        if (index < 0) reader.Json.FailExpected("a value");
        reader.ReadTagged(table.Fields[index], Omission.None);
    }

    private static void ReadTime(ref JsonToWire reader, bool isTimestamp)
    {
        if (reader.Json.Peek() != '"')
            reader.Json.FailExpected(isTimestamp ? "a string for google.protobuf.Timestamp" : "a string for google.protobuf.Duration");
        var start = reader.Json.Position;
        var text = reader.Unescape(reader.Json.TakeString(out var hasEscapes), hasEscapes, out var rented);
        long seconds;
        int nanos;
        if (isTimestamp)
        {
            if (!TimeText.TryTimestamp(text, out seconds, out nanos))
                reader.Json.FailAt(start, $"\"{ProtoJsonException.Shown(text)}\" is not a timestamp such as \"2026-01-31T12:00:00.5Z\"");
        }
        else if (!TimeText.TryDuration(text, out seconds, out nanos))
        {
            reader.Json.FailAt(start, $"\"{ProtoJsonException.Shown(text)}\" is not a duration such as \"-1.5s\"");
        }
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
        if (seconds != 0)
        {
            reader.Out.Byte(Varint1);
            reader.Out.Varint((ulong)seconds);
        }
        if (nanos != 0)
        {
            reader.Out.Byte(Varint2);
            reader.Out.Varint((ulong)(long)nanos);
        }
    }

    private static void ReadFieldMask(ref JsonToWire reader)
    {
        if (reader.Json.Peek() != '"') reader.Json.FailExpected("a string for google.protobuf.FieldMask");
        var start = reader.Json.Position;
        var text = reader.Unescape(reader.Json.TakeString(out var hasEscapes), hasEscapes, out var rented);
        var snake = ArrayPool<byte>.Shared.Rent(Math.Max(1, 2 * text.Length));
        for (var rest = text; !rest.IsEmpty;)
        {
            var comma = rest.IndexOf((byte)',');
            var path = comma < 0 ? rest : rest[..comma];
            rest = comma < 0 ? default : rest[(comma + 1)..];
            if (path.IsEmpty) continue;
            var length = WellKnownText.ToSnakeCase(path, snake);
            if (length < 0) reader.Json.FailAt(start, $"\"{ProtoJsonException.Shown(path)}\" is not a path of a field mask in camelCase");
            reader.Out.Byte(Length1);
            reader.Out.Varint((uint)length);
            reader.Out.Raw(snake.AsSpan(0, length));
        }
        ArrayPool<byte>.Shared.Return(snake);
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
    }

    // The type may be anywhere in the object, so it is searched first; then the object is read again as that type.
    private static void ReadAny(ref JsonToWire reader, MessageTable table)
    {
        if (reader.Json.Peek() != '{') reader.Json.FailExpected("an object for google.protobuf.Any");
        var start = reader.Json.Position;
        reader.Descend();
        if (FindType(ref reader) is { } type)
        {
            reader.Json.Position = start;
            var (before, value) = (reader.Out.Position, table.Fields[1]);
            reader.Out.Raw(value.TagBytes);
            var contentStart = reader.Out.BeginLength(value, out var guess);
            if (type.IsValueInAny) ReadValueMember(ref reader, type);
            else reader.ReadMembers(type, skipsType: true);
            if (reader.Out.Position == contentStart) reader.Out.Position = before;
            else reader.Out.EndLength(value, contentStart, guess);
        }
        reader.Ascend();
    }

    // Writes the URL. Null: the object is empty and consumed.
    private static MessageTable? FindType(ref JsonToWire reader)
    {
        var start = reader.Json.Position;
        reader.Json.Take((byte)'{');
        if (reader.Json.TryTake((byte)'}')) return null;
        do
        {
            var isType = TakeName(ref reader, "@type"u8);
            if (!isType)
            {
                reader.SkipValue();
                continue;
            }
            if (reader.Json.Peek() != '"') reader.Json.FailExpected("a string for @type");
            var urlStart = reader.Json.Position;
            var url = reader.Unescape(reader.Json.TakeString(out var hasEscapes), hasEscapes, out var rented);
            var name = Encoding.UTF8.GetString(url[(url.LastIndexOf((byte)'/') + 1)..]);
            var type = reader.FindInAny(name);
            if (type is null)
                reader.Json.FailAt(
                    urlStart, $"the type registry has no \"{ProtoJsonException.Shown(url[(url.LastIndexOf((byte)'/') + 1)..])}\"");
            reader.Out.Byte(Length1);
            reader.Out.Varint((uint)url.Length);
            reader.Out.Raw(url);
            if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
            return type;
        }
        while (reader.Json.TakeCommaOr((byte)'}'));
        reader.Json.FailAt(start, "an Any needs a member \"@type\"");
        return null;
    }

    private static void ReadValueMember(ref JsonToWire reader, MessageTable type)
    {
        var start = reader.Json.Position;
        var (types, values) = (0, 0);
        reader.Json.Take((byte)'{');
        do
        {
            reader.Json.Peek();
            var nameStart = reader.Json.Position;
            if (types == 0 && TakeName(ref reader, "@type"u8))
            {
                types++;
                reader.SkipValue();
                continue;
            }
            reader.Json.Position = nameStart;
            if (values++ > 0 || !TakeName(ref reader, "value"u8))
                reader.Json.FailAt(nameStart, $"an Any of {type.FullName} has the members \"@type\" and \"value\" and no other");
            reader.ReadMessage(type);
        }
        while (reader.Json.TakeCommaOr((byte)'}'));
        if (values == 0) reader.Json.FailAt(start, $"an Any of {type.FullName} needs a member \"value\"");
    }

    private static bool TakeName(ref JsonToWire reader, ReadOnlySpan<byte> expected)
    {
        var text = reader.Unescape(reader.Json.TakeString(out var hasEscapes), hasEscapes, out var rented);
        var isExpected = text.SequenceEqual(expected);
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
        reader.Json.Take((byte)':');
        return isExpected;
    }
}
