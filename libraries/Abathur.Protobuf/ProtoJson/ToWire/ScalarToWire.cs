using System.Buffers;
using System.Numerics;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.Wire;

namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>Reads the JSON of numbers, bools, enums, strings and bytes and writes their protobuf, without tag.</summary>
internal static class ScalarToWire
{
    // From this value on a double exceeds 64-bit integers.
    private const double TwoTo63 = 9223372036854775808.0;
    private const double TwoTo64 = 18446744073709551616.0;

    /// <summary>Reads a value; true if it is the default of its kind.</summary>
    public static bool Read(ref JsonToWire reader, FieldTable field)
    {
        var next = reader.Json.Peek();
        switch (field.Kind)
        {
            case FieldKind.Float:
                return Fixed32(
                    ref reader, BitConverter.SingleToUInt32Bits(ReadFloat(ref reader, next)), isZero: 0x80000000);
            case FieldKind.Double:
                return Fixed64(
                    ref reader, BitConverter.DoubleToUInt64Bits(ReadDouble(ref reader, next)), isZero: 0x8000000000000000);
            case FieldKind.Bool: return Varint(ref reader, ReadBool(ref reader, next) ? 1UL : 0);
            case FieldKind.Enum: return Varint(ref reader, (ulong)(long)ReadEnum(ref reader, field, next));
            case FieldKind.String: return ReadString(ref reader, field);
            case FieldKind.Bytes: return ReadBytes(ref reader, field);
            default:
                var isQuoted = next == '"';
                if (!isQuoted && next != '-' && !char.IsAsciiDigit((char)next))
                    reader.Json.FailExpected($"a number for {NameOf(field.Kind)}");
                var start = reader.Json.Position;
                byte[]? rented = null;
                var text = isQuoted
                    ? reader.Unescape(reader.Json.TakeString(out var hasEscapes), hasEscapes, out rented)
                    : reader.Json.TakeNumber();
                var isDefault = WriteInteger(ref reader, field.Kind, text, isQuoted, start);
                if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
                return isDefault;
        }
    }

    /// <summary>Reads the key of a map, which is a string in JSON; true if it is the default of its kind.</summary>
    public static bool ReadKey(ref JsonToWire reader, FieldTable key)
    {
        if (key.Kind == FieldKind.String) return ReadString(ref reader, key);
        if (reader.Json.Peek() != '"') reader.Json.FailExpected("a string as a key");
        if (key.Kind != FieldKind.Bool) return Read(ref reader, key);
        var start = reader.Json.Position;
        var text = reader.Unescape(reader.Json.TakeString(out var hasEscapes), hasEscapes, out var rented);
        var value = text.SequenceEqual("true"u8);
        if (!value && !text.SequenceEqual("false"u8)) reader.Json.FailAt(start, $"\"{ProtoJsonException.Shown(text)}\" is not a bool");
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
        return Varint(ref reader, value ? 1UL : 0);
    }

    /// <summary>Reads a number without quotes as a double.</summary>
    public static double ReadNumber(ref JsonToWire reader)
    {
        var start = reader.Json.Position;
        var value = JsonNumber.ToDouble(reader.Json.TakeNumber());
        if (double.IsInfinity(value)) reader.Json.FailAt(start, "the number is too large");
        return value;
    }

    private static bool WriteInteger(ref JsonToWire reader, FieldKind kind, ReadOnlySpan<byte> text, bool isQuoted, int start)
    {
        switch (kind)
        {
            case FieldKind.Int32:
                return Varint(
                    ref reader, (ulong)(long)Integer<int>(ref reader, text, isQuoted, start, int.MinValue, int.MaxValue));
            case FieldKind.SInt32:
                return Varint(
                    ref reader, ZigZag.Encode(Integer<int>(ref reader, text, isQuoted, start, int.MinValue, int.MaxValue)));
            case FieldKind.SFixed32:
                return Fixed32(
                    ref reader, (uint)Integer<int>(ref reader, text, isQuoted, start, int.MinValue, int.MaxValue));
            case FieldKind.UInt32:
                return Varint(
                    ref reader, Integer<uint>(ref reader, text, isQuoted, start, uint.MinValue, uint.MaxValue));
            case FieldKind.Fixed32:
                return Fixed32(
                    ref reader, Integer<uint>(ref reader, text, isQuoted, start, uint.MinValue, uint.MaxValue));
            case FieldKind.Int64:
                return Varint(
                    ref reader, (ulong)Integer<long>(ref reader, text, isQuoted, start, long.MinValue, long.MaxValue));
            case FieldKind.SInt64:
                return Varint(
                    ref reader, ZigZag.Encode(Integer<long>(ref reader, text, isQuoted, start, long.MinValue, long.MaxValue)));
            case FieldKind.SFixed64:
                return Fixed64(
                    ref reader, (ulong)Integer<long>(ref reader, text, isQuoted, start, long.MinValue, long.MaxValue));
            case FieldKind.UInt64:
                return Varint(
                    ref reader, Integer<ulong>(ref reader, text, isQuoted, start, ulong.MinValue, ulong.MaxValue));
            default: return Fixed64(ref reader, Integer<ulong>(ref reader, text, isQuoted, start, ulong.MinValue, ulong.MaxValue));
        }
    }

    private static T Integer<T>(ref JsonToWire reader, ReadOnlySpan<byte> text, bool isQuoted, int start, T min, T max)
        where T : struct, IBinaryInteger<T>
    {
        if (JsonNumber.TryInteger(text, out var small))
        {
            if (typeof(T) == typeof(long)
                || (small >= 0 && typeof(T) == typeof(ulong))
                || (typeof(T) != typeof(ulong) && small >= long.CreateTruncating(min) && small <= long.CreateTruncating(max)))
            {
                return T.CreateTruncating(small);
            }
            reader.Json.FailAt(start, $"{small} is out of range: {min} to {max}");
        }
        if (isQuoted)
        {
            if (JsonNumber.ParseQuoted<T>(text, out var parsed) is { } problem)
                reader.Json.FailAt(start, $"\"{ProtoJsonException.Shown(text)}\" {problem}");
            return parsed;
        }
        // Without quotes it is a JSON number, which is a double.
        var value = JsonNumber.ToDouble(text);
        if (value != Math.Floor(value)) reader.Json.FailAt(start, $"{ProtoJsonException.Shown(text)} is not a whole number");
        var isInRange = typeof(T) == typeof(ulong) ? value is > -1 and < TwoTo64
            : typeof(T) == typeof(long) ? value is >= -TwoTo63 and < TwoTo63
            : value >= double.CreateChecked(min) && value <= double.CreateChecked(max);
        if (!isInRange) reader.Json.FailAt(start, $"{ProtoJsonException.Shown(text)} is out of range: {min} to {max}");
        return T.CreateTruncating(value);
    }

    private static float ReadFloat(ref JsonToWire reader, byte next)
    {
        if (next == '"') return ReadQuoted<float>(ref reader);
        if (next != '-' && !char.IsAsciiDigit((char)next)) reader.Json.FailExpected("a number for float");
        var start = reader.Json.Position;
        var value = (float)ReadNumber(ref reader);
        if (float.IsInfinity(value)) reader.Json.FailAt(start, "the number is out of range for float");
        return value;
    }

    private static double ReadDouble(ref JsonToWire reader, byte next)
    {
        if (next == '"') return ReadQuoted<double>(ref reader);
        if (next != '-' && !char.IsAsciiDigit((char)next)) reader.Json.FailExpected("a number for double");
        return ReadNumber(ref reader);
    }

    // NaN and the infinities have one spelling; a number that is too large is not infinite.
    private static T ReadQuoted<T>(ref JsonToWire reader)
        where T : struct, IBinaryFloatingPointIeee754<T>
    {
        var start = reader.Json.Position;
        var text = reader.Unescape(reader.Json.TakeString(out var hasEscapes), hasEscapes, out var rented);
        T value;
        if (text.SequenceEqual("NaN"u8)) value = T.NaN;
        else if (text.SequenceEqual("Infinity"u8)) value = T.PositiveInfinity;
        else if (text.SequenceEqual("-Infinity"u8)) value = T.NegativeInfinity;
        else if (JsonNumber.ParseQuoted(text, out value) is { } problem)
            reader.Json.FailAt(start, $"\"{ProtoJsonException.Shown(text)}\" {problem}");
        else if (!T.IsFinite(value))
            reader.Json.FailAt(start, $"\"{ProtoJsonException.Shown(text)}\" is out of range, and not NaN, Infinity or -Infinity");
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
        return value;
    }

    private static bool ReadBool(ref JsonToWire reader, byte next)
    {
        if (next is not ((byte)'t' or (byte)'f')) reader.Json.FailExpected("true or false");
        reader.Json.TakeLiteral(next == 't' ? "true"u8 : "false"u8);
        return next == 't';
    }

    private static int ReadEnum(ref JsonToWire reader, FieldTable field, byte next)
    {
        var type = field.Enum!;
        var start = reader.Json.Position;
        if (next == 'n' && type.IsNullValue)
        {
            reader.Json.TakeLiteral("null"u8);
            return 0;
        }
        if (next != '"')
        {
            if (next != '-' && !char.IsAsciiDigit((char)next)) reader.Json.FailExpected($"a name or number of {type.FullName}");
            return Integer<int>(ref reader, reader.Json.TakeNumber(), isQuoted: false, start, int.MinValue, int.MaxValue);
        }
        var name = reader.Unescape(reader.Json.TakeString(out var hasEscapes), hasEscapes, out var rented);
        var token = type.Find(name);
        if (token is null && !reader.IgnoresUnknown)
            reader.Json.FailAt(start, $"{type.FullName} has no value \"{ProtoJsonException.Shown(name)}\"");
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
        reader.HasSkipped |= token is null;
        return token?.Number ?? 0;
    }

    private static bool ReadString(ref JsonToWire reader, FieldTable field)
    {
        var text = reader.Json.TakeString(out var hasEscapes);
        if (!hasEscapes)
        {
            reader.Out.Varint((uint)text.Length);
            reader.Out.Raw(text);
            return text.IsEmpty;
        }
        var start = reader.Out.BeginLength(field, out var guess);
        reader.Out.Position += reader.Json.Unescape(text, reader.Out.GetSpan(text.Length));
        reader.Out.EndLength(field, start, guess);
        return false;
    }

    private static bool ReadBytes(ref JsonToWire reader, FieldTable field)
    {
        if (TryReadPlainBytes(ref reader, field, out var isEmpty)) return isEmpty;
        reader.Json.Peek();
        var stringStart = reader.Json.Position;
        var text = reader.Unescape(reader.Json.TakeString(out var hasEscapes), hasEscapes, out var rented);
        var start = reader.Out.BeginLength(field, out var guess);
        var output = reader.Out.GetSpan(Base64Text.MaxBytes(text.Length));
        var length = Base64Text.Decode(text, output);
        if (length < 0) reader.Json.FailAt(stringStart, "the string is not base64");
        reader.Out.Position += length;
        reader.Out.EndLength(field, start, guess);
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
        return length == 0;
    }

    // Grids are most of a frame. Decoding checks every character anyway, so the string is not checked before.
    private static bool TryReadPlainBytes(ref JsonToWire reader, FieldTable field, out bool isEmpty)
    {
        isEmpty = false;
        if (!reader.Json.TryPeekUnescaped(out var text)) return false;
        var before = reader.Out.Position;
        var start = reader.Out.BeginLength(field, out var guess);
        if (!Base64Text.TryDecodePlain(text, reader.Out.GetSpan(Base64Text.MaxBytes(text.Length)), out var length))
        {
            reader.Out.Position = before;
            return false;
        }
        reader.Json.Position += text.Length + 2;
        reader.Out.Position += length;
        reader.Out.EndLength(field, start, guess);
        isEmpty = length == 0;
        return true;
    }

    private static bool Varint(ref JsonToWire reader, ulong value)
    {
        reader.Out.Varint(value);
        return value == 0;
    }

    // The ignored bit is the sign of a float: minus zero counts as the default, as in Google's serializer.
    private static bool Fixed32(ref JsonToWire reader, uint value, uint isZero = 0)
    {
        reader.Out.Fixed32(value);
        return (value & ~isZero) == 0;
    }

    private static bool Fixed64(ref JsonToWire reader, ulong value, ulong isZero = 0)
    {
        reader.Out.Fixed64(value);
        return (value & ~isZero) == 0;
    }

    private static string NameOf(FieldKind kind) => kind.ToString().ToLowerInvariant();
}
