using System.Collections;
using System.Text;
using global::Google.Protobuf;
using global::Google.Protobuf.Reflection;
using global::Google.Protobuf.WellKnownTypes;

namespace Abathur.Testing;

/// <summary>Fills messages of any type with values that are likely to be mistaken: bounds, signs, odd strings.</summary>
/// <param name="random">Decides.</param>
/// <param name="inAny">A type that stands in each second <c>Any</c>; the others hold a <c>Duration</c>.</param>
/// <param name="withAny">Whether fields of type <c>Any</c> are filled.</param>
public sealed class MessageGenerator(Random random, MessageDescriptor? inAny = null, bool withAny = true)
{
    private const int MaxDepth = 3;
    private static readonly MessageDescriptor ValueType = global::Google.Protobuf.WellKnownTypes.Value.Descriptor;
    private static readonly double[] Doubles =
    [
        0, -0.0, 1, -1, 0.1, 1e-5, 1e-4, 1e15, 1e16, 123456789.125, 1e21, 1e300, double.Epsilon, double.MaxValue, double.NaN,
        double.PositiveInfinity, double.NegativeInfinity,
    ];
    private static readonly float[] Floats =
    [
        0, -0f, 1, -1, 0.1f, 1e-5f, 1e-4f, 1e7f, 12345678f, 1e8f, 33.333f, float.Epsilon, float.MaxValue, float.NaN,
        float.PositiveInfinity, float.NegativeInfinity,
    ];
    private static readonly string[] Strings =
    [
        "", "a", "\"\\/\b\f\n\r\t\u0001\u007f", "<b>&'</b>", "äöü\u00a0\u00ad", "\u2028\u200b\ufeff\ufffd", "\U0001F600 and \U0010FFFF",
        "null", "-12", new('x', 300),
    ];

    public IMessage Make(MessageDescriptor type, int depth = 0)
    {
        var message = type.Parser.ParseFrom(Array.Empty<byte>());
        if (FillWellKnown(message, depth)) return message;
        foreach (var field in type.Fields.InFieldNumberOrder())
        {
            if (field.RealContainingOneof is not null && random.Next(3) > 0) continue;
            if (!withAny && field.FieldType == FieldType.Message && field.MessageType == Any.Descriptor) continue;
            if (random.Next(10) < (depth == 0 ? 5 : 3)) Fill(message, field, depth);
        }
        return message;
    }

    private void Fill(IMessage message, FieldDescriptor field, int depth)
    {
        var isDeep = depth >= MaxDepth;
        if (field.IsMap)
        {
            if (isDeep) return;
            var map = (IDictionary)field.Accessor.GetValue(message);
            for (var i = random.Next(12); i > 0; i--)
            {
                map[Value(field.MessageType.FindFieldByNumber(1), depth)!] = Value(field.MessageType.FindFieldByNumber(2), depth);
            }
        }
        else if (field.IsRepeated)
        {
            if (isDeep && IsMessage(field)) return;
            var list = (IList)field.Accessor.GetValue(message);
            for (var i = random.Next(4); i > 0; i--) list.Add(Value(field, depth));
        }
        else if (!isDeep || !IsMessage(field))
        {
            field.Accessor.SetValue(message, Value(field, depth));
        }
    }

    private static bool IsMessage(FieldDescriptor field) => field.FieldType is FieldType.Message or FieldType.Group;

    private object? Value(FieldDescriptor field, int depth) => field.FieldType switch
    {
        FieldType.Double => Pick(Doubles, () => BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue))),
        FieldType.Float => Pick(Floats, () => BitConverter.Int32BitsToSingle(random.Next(int.MinValue, int.MaxValue))),
        FieldType.Int32 or FieldType.SInt32 or FieldType.SFixed32 =>
            Pick([0, 1, -1, 9, 10, 99, 100, 999, 1000, int.MinValue, int.MaxValue], () => random.Next(int.MinValue, int.MaxValue)),
        FieldType.Int64 or FieldType.SInt64 or FieldType.SFixed64 =>
            Pick([0, 1, -1, long.MinValue, long.MaxValue], () => random.NextInt64(long.MinValue, long.MaxValue)),
        FieldType.UInt32 or FieldType.Fixed32 => Pick([0u, 1u, 999u, uint.MaxValue], () => (uint)random.NextInt64(uint.MaxValue)),
        FieldType.UInt64 or FieldType.Fixed64 => Pick([0UL, 1UL, ulong.MaxValue], () => (ulong)random.NextInt64()),
        FieldType.Bool => random.Next(2) == 1,
        FieldType.String => random.Next(3) == 0 ? RandomString() : Strings[random.Next(Strings.Length)],
        FieldType.Bytes => RandomBytes(),
        FieldType.Enum => EnumValue(field.EnumType),
        _ when field.MessageType.FullName.StartsWith("google.protobuf.", StringComparison.Ordinal)
            && field.MessageType.Name.EndsWith("Value", StringComparison.Ordinal)
            && field.MessageType.Name is not ("Value" or "ListValue") => Value(field.MessageType.FindFieldByNumber(1), depth),
        _ => Make(field.MessageType, depth + 1),
    };

    // Unknown numbers as well; where the generated code wants the enum itself, the reflection converts.
    private object EnumValue(EnumDescriptor type) =>
        System.Enum.ToObject(
            type.ClrType, random.Next(5) == 0 ? random.Next(-3, 12345) : type.Values[random.Next(type.Values.Count)].Number);

    private string RandomString()
    {
        var text = new StringBuilder();
        for (var i = random.Next(20); i > 0; i--)
        {
            var rune = random.Next(4) == 0 ? random.Next(0x110000) : random.Next(0x80);
            if (Rune.IsValid(rune)) text.Append(new Rune(rune));
        }
        return text.ToString();
    }

    private ByteString RandomBytes()
    {
        var bytes = new byte[random.Next(40)];
        random.NextBytes(bytes);
        return ByteString.CopyFrom(bytes);
    }

    private object Pick<T>(T[] special, Func<T> any)
        where T : notnull => random.Next(2) == 0 ? special[random.Next(special.Length)] : any();

    private bool FillWellKnown(IMessage message, int depth)
    {
        switch (message)
        {
            case Timestamp timestamp:
                timestamp.Seconds = random.Next(4) == 0 ? random.NextInt64(-62135596800, 253402300799) : random.Next();
                timestamp.Nanos = Nanos();
                return true;
            case Duration duration:
                duration.Seconds = random.Next(3) == 0 ? 0 : random.NextInt64(-315576000000, 315576000000);
                duration.Nanos = duration.Seconds < 0 ? -Nanos() : Nanos();
                return true;
            case FieldMask mask:
                for (var i = random.Next(4); i > 0; i--) mask.Paths.Add(new[] { "a", "foo_bar", "a.b_c.d", "x1", "tail_" }[random.Next(5)]);
                return true;
            case Any any:
                if (random.Next(2) == 0 && inAny is not null)
                    any.MergeFrom(Any.Pack(new MessageGenerator(random, inAny).Make(inAny, MaxDepth)));
                else any.MergeFrom(Any.Pack(new Duration { Seconds = random.Next() }));
                return true;
            case Value value:
                FillValue(value, depth);
                return true;
            case ListValue list:
                for (var i = depth > MaxDepth ? 0 : random.Next(4); i > 0; i--) list.Values.Add((Value)Make(ValueType, depth + 1));
                return true;
            case Struct structure:
                for (var i = depth > MaxDepth ? 0 : random.Next(4); i > 0; i--)
                    structure.Fields["k" + RandomString()] = (Value)Make(ValueType, depth + 1);
                return true;
            default: return false;
        }
    }

    private int Nanos() => random.Next(4) switch
    {
        0 => 0,
        1 => random.Next(1000) * 1_000_000,
        2 => random.Next(1_000_000) * 1000,
        _ => random.Next(1_000_000_000),
    };

    private void FillValue(Value value, int depth)
    {
        switch (random.Next(depth > MaxDepth ? 4 : 6))
        {
            case 0: value.NullValue = NullValue.NullValue; break;
            case 1: value.NumberValue = random.Next(-1000, 1000) / 8.0; break;
            case 2: value.StringValue = RandomString(); break;
            case 3: value.BoolValue = random.Next(2) == 0; break;
            case 4: value.StructValue = (Struct)Make(Struct.Descriptor, depth + 1); break;
            default: value.ListValue = (ListValue)Make(ListValue.Descriptor, depth + 1); break;
        }
    }
}
