using System.Buffers;
using System.Text;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.ProtoJson.Text;

namespace Abathur.Protobuf.ProtoJson.ToJson;

/// <summary>Writes the message types that have a special JSON form.</summary>
internal static class WellKnownToJson
{
    // Bytes for the longest ones, "-315576000000.000000000s" and "9999-12-31T23:59:59.999999999Z", with quotes.
    private const int TextBytes = 48;
    private const int SecondsNumber = 1, NanosNumber = 2, PathsNumber = 1, TypeUrlNumber = 1, ValueNumber = 2;

    /// <summary>Writes the message from the writer's position to <paramref name="end"/>.</summary>
    public static void Write(ref WireToJson writer, MessageTable table, int end)
    {
        switch (table.WellKnown)
        {
            case WellKnown.Timestamp: WriteTimestamp(ref writer, table, end); break;
            case WellKnown.Duration: WriteDuration(ref writer, table, end); break;
            case WellKnown.FieldMask: WriteFieldMask(ref writer, table, end); break;
            case WellKnown.Wrapper: WriteWrapper(ref writer, table, end); break;
            case WellKnown.Any: WriteAny(ref writer, table, end); break;
            case WellKnown.Struct: WriteOnlyField(ref writer, table, end, "{}"u8); break;
            case WellKnown.ListValue: WriteOnlyField(ref writer, table, end, "[]"u8); break;
            default: WriteOnlyField(ref writer, table, end, default); break;
        }
    }

    private static void WriteOnlyField(ref WireToJson writer, MessageTable table, int end, ReadOnlySpan<byte> whenEmpty)
    {
        using var fields = UnorderedFields.Read(ref writer, table, end);
        if (!fields.IsEmpty)
        {
            fields.Write(ref writer, isFirst: true);
            return;
        }
        if (whenEmpty.IsEmpty) writer.Throw(ProtoJsonError.NoJsonForm, $"a {table.FullName} holds nothing");
        writer.EnsureRoom(whenEmpty.Length);
        writer.Out.Raw(whenEmpty);
    }

    private static void WriteWrapper(ref WireToJson writer, MessageTable table, int end)
    {
        var field = table.Fields[0];
        var (number, start) = (0UL, end);
        while (writer.Position < end)
        {
            var tag = writer.ReadTag(end);
            if (tag != field.Tag)
            {
                writer.SkipValue(tag, end);
                continue;
            }
            start = writer.Position;
            if (field.Kind is FieldKind.String or FieldKind.Bytes) writer.SkipValue(tag, end);
            else number = writer.ReadScalar(field.WireType, end);
        }
        if (field.Kind is not (FieldKind.String or FieldKind.Bytes))
        {
            writer.WriteScalar(field, number);
            return;
        }
        writer.MoveTo(start);
        writer.WriteLengthDelimited(field, start == end ? end : writer.ReadLength(end));
        writer.MoveTo(end);
    }

    private static void WriteTimestamp(ref WireToJson writer, MessageTable table, int end)
    {
        ReadSecondsAndNanos(ref writer, table, end, out var seconds, out var nanos);
        if (!WellKnownTime.IsTimestamp(seconds, nanos))
            writer.Throw(ProtoJsonError.NoJsonForm, $"{seconds} s and {nanos} ns is not a timestamp in the years 1 to 9999");
        var time = DateTime.UnixEpoch.AddSeconds(seconds);
        writer.EnsureRoom(TextBytes);
        writer.Out.Byte((byte)'"');
        writer.Out.Digits(time.Year, 4);
        writer.Out.Byte((byte)'-');
        writer.Out.Digits(time.Month, 2);
        writer.Out.Byte((byte)'-');
        writer.Out.Digits(time.Day, 2);
        writer.Out.Byte((byte)'T');
        writer.Out.Digits(time.Hour, 2);
        writer.Out.Byte((byte)':');
        writer.Out.Digits(time.Minute, 2);
        writer.Out.Byte((byte)':');
        writer.Out.Digits(time.Second, 2);
        WriteNanos(ref writer, nanos);
        writer.Out.Raw("Z\""u8);
    }

    private static void WriteDuration(ref WireToJson writer, MessageTable table, int end)
    {
        ReadSecondsAndNanos(ref writer, table, end, out var seconds, out var nanos);
        if (!WellKnownTime.IsDuration(seconds, nanos))
            writer.Throw(
                ProtoJsonError.NoJsonForm,
                $"{seconds} s and {nanos} ns is not a duration: at most 10,000 years, and both with the same sign");
        writer.EnsureRoom(TextBytes);
        writer.Out.Raw(seconds < 0 || nanos < 0 ? "\"-"u8 : "\""u8);
        writer.Out.Plain((ulong)Math.Abs(seconds));
        WriteNanos(ref writer, Math.Abs(nanos));
        writer.Out.Raw("s\""u8);
    }

    private static void ReadSecondsAndNanos(ref WireToJson reader, MessageTable table, int end, out long seconds, out int nanos)
    {
        (seconds, nanos) = (0, 0);
        while (reader.Position < end)
        {
            var tag = reader.ReadTag(end);
            switch (table.Find(tag)?.Number)
            {
                case SecondsNumber: seconds = (long)reader.ReadVarint(end); break;
                case NanosNumber: nanos = (int)reader.ReadVarint(end); break;
                default: reader.SkipValue(tag, end); break;
            }
        }
    }

    // Three, six or nine digits, as few as are exact.
    private static void WriteNanos(ref WireToJson writer, int nanos)
    {
        if (nanos == 0) return;
        writer.Out.Byte((byte)'.');
        if (nanos % 1_000_000 == 0) writer.Out.Digits(nanos / 1_000_000, 3);
        else if (nanos % 1_000 == 0) writer.Out.Digits(nanos / 1_000, 6);
        else writer.Out.Digits(nanos, 9);
    }

    private static void WriteFieldMask(ref WireToJson writer, MessageTable table, int end)
    {
        writer.EnsureRoom(2);
        writer.Out.Byte((byte)'"');
        var isFirst = true;
        while (writer.Position < end)
        {
            var tag = writer.ReadTag(end);
            if (table.Find(tag)?.Number != PathsNumber)
            {
                writer.SkipValue(tag, end);
                continue;
            }
            var pathEnd = writer.ReadLength(end);
            WritePath(ref writer, writer.Slice(writer.Position, pathEnd), isFirst);
            isFirst = false;
            writer.MoveTo(pathEnd);
        }
        writer.EnsureRoom(1);
        writer.Out.Byte((byte)'"');
    }

    private static void WritePath(ref WireToJson writer, ReadOnlySpan<byte> path, bool isFirst)
    {
        if (!WellKnownText.SurvivesCamelCase(path))
            writer.Throw(
                ProtoJsonError.NoJsonForm,
                $"the path \"{ProtoJsonException.Shown(path)}\" of a field mask cannot be converted to JSON's camelCase and back");
        var camel = ArrayPool<byte>.Shared.Rent(path.Length);
        var length = WellKnownText.ToCamelCase(path, camel);
        writer.EnsureRoom(1 + (length * JsonEscape.MaxBytes));
        if (!isFirst) writer.Out.Byte((byte)',');
        writer.Out.Escape(camel.AsSpan(0, length));
        ArrayPool<byte>.Shared.Return(camel);
    }

    private static void WriteAny(ref WireToJson writer, MessageTable table, int end)
    {
        var (urlStart, urlEnd, valueStart, valueEnd) = (0, 0, 0, 0);
        while (writer.Position < end)
        {
            var tag = writer.ReadTag(end);
            switch (table.Find(tag)?.Number)
            {
                case TypeUrlNumber:
                    urlEnd = writer.ReadLength(end);
                    urlStart = writer.Position;
                    writer.MoveTo(urlEnd);
                    break;
                case ValueNumber:
                    valueEnd = writer.ReadLength(end);
                    valueStart = writer.Position;
                    writer.MoveTo(valueEnd);
                    break;
                default: writer.SkipValue(tag, end); break;
            }
        }
        if (urlStart == urlEnd && valueStart == valueEnd)
        {
            writer.EnsureRoom(2);
            writer.Out.Raw("{}"u8);
            return;
        }
        var url = writer.Slice(urlStart, urlEnd);
        var name = Encoding.UTF8.GetString(url[(url.LastIndexOf((byte)'/') + 1)..]);
        var type = writer.FindInAny(name);
        if (type is null)
            writer.Throw(
                ProtoJsonError.NoJsonForm,
                $"the type registry has no \"{ProtoJsonException.Shown(url[(url.LastIndexOf((byte)'/') + 1)..])}\" for an Any");
        writer.EnsureRoom(16);
        writer.Out.Raw("{\"@type\":"u8);
        writer.Out.LongString(url);
        writer.MoveTo(valueStart);
        writer.Descend();
        if (type!.IsValueInAny)
        {
            writer.EnsureRoom(16);
            writer.Out.Raw(",\"value\":"u8);
            writer.WriteMessage(type, valueEnd);
        }
        else
        {
            writer.WriteFields(type, valueEnd, isFirst: false);
        }
        writer.Ascend();
        writer.EnsureRoom(1);
        writer.Out.Byte((byte)'}');
        writer.MoveTo(end);
    }
}
