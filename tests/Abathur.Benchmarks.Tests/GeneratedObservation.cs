using System.Collections;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Tests;

/// <summary>Observations with anything in any field: unknown enum numbers, extreme integers, -0, empty messages, lists of them.</summary>
internal static class GeneratedObservation
{
    private const int MaxDepth = 8;
    private static readonly float[] Floats =
    [
        0, -0f, 1, -1, 0.1f, float.Epsilon, float.MaxValue, float.MinValue, 16777217, 1e-10f, 123456.79f,
    ];
    private static readonly string[] Strings = ["", "gg", "\"\\/\b\n\t\u0001\u007f</script>", "žluťoučký 日本 😀", new string('x', 300)];

    /// <summary>Arbitrary observations; finite floats only, as JSON has no others.</summary>
    public static Arbitrary<ResponseObservation> Arbitrary { get; } =
        Gen.Choose(0, int.MaxValue - 1)
            .Select(seed => (ResponseObservation)Make(ResponseObservation.Descriptor, new Random(seed), 0))
            .ToArbitrary();

    private static IMessage Make(MessageDescriptor type, Random random, int depth)
    {
        var message = type.Parser.ParseFrom(ReadOnlySpan<byte>.Empty);
        foreach (var field in type.Fields.InFieldNumberOrder())
        {
            // Of a oneof the last one set stays, as the accessor clears the others.
            if (depth >= MaxDepth || random.NextDouble() < 0.4) continue;
            if (field.IsRepeated)
            {
                var list = (IList)field.Accessor.GetValue(message);
                for (var left = random.Next(4); left > 0; left--) list.Add(Value(field, random, depth));
            }
            else
            {
                field.Accessor.SetValue(message, Value(field, random, depth));
            }
        }
        return message;
    }

    private static object Value(FieldDescriptor field, Random random, int depth) => field.FieldType switch
    {
        FieldType.Message => Make(field.MessageType, random, depth + 1),
        FieldType.Enum =>
            random.Next(4) == 0 ? random.Next(-3, 1000) : field.EnumType.Values[random.Next(field.EnumType.Values.Count)].Number,
        FieldType.Int32 => random.Next(3) == 0 ? int.MinValue + random.Next(2) : random.Next(-100, 100_000),
        FieldType.UInt32 => random.Next(3) == 0 ? uint.MaxValue - (uint)random.Next(2) : (uint)random.Next(100_000),
        FieldType.UInt64 => random.Next(3) == 0 ? ulong.MaxValue - (ulong)random.Next(2) : (ulong)random.NextInt64(),
        FieldType.Float => random.Next(2) == 0 ? Floats[random.Next(Floats.Length)] : (float)(random.NextDouble() * 200),
        FieldType.Bool => random.Next(2) == 0,
        FieldType.String => Strings[random.Next(Strings.Length)],
        FieldType.Bytes => ByteString.CopyFrom([.. Enumerable.Range(0, random.Next(40)).Select(_ => (byte)random.Next(256))]),
        _ => throw new InvalidOperationException($"no values for {field.FullName}"),
    };
}
