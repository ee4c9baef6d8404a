using System.Collections;
using Abathur.Benchmarks.Codecs;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Match;

/// <summary>Whether a codec gives back what it was given.</summary>
/// <param name="Problem">The first difference after decoding, and where; null if there are no differences.</param>
/// <param name="LostUnknownFields">Whether only the unknown fields were lost.</param>
/// <param name="Bytes">Encoded size.</param>
internal readonly record struct CodecCheck(string? Problem, bool LostUnknownFields, int Bytes)
{
    private static readonly MessageParser<ResponseObservation> KnownFields = ResponseObservation.Parser.WithDiscardUnknownFields(true);

    /// <summary>Encodes and decodes one frame and compares: messages by value, floats by their bits (all NaN are the same), unknown fields
    /// too, and the checksum of touching.</summary>
    public static CodecCheck Run(ICodec codec, byte[] observation)
    {
        ReadOnlyMemory<byte> encoded;
        object decoded;
        ResponseObservation actual;
        try
        {
            encoded = codec.Encode(codec.Prepare(observation));
            decoded = codec.Decode(encoded);
            actual = codec.ToObservation(decoded);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // Libraries throw various exceptions for unsupported values; each is a finding about the codec.
            return new CodecCheck($"{e.GetType().Name}: {e.Message.ReplaceLineEndings(" ")}", false, 0);
        }
        var expected = codec.Expected(ResponseObservation.Parser.ParseFrom(observation));
        var lostUnknownFields = false;
        if (!AreEqual(expected, actual))
        {
            expected = codec.Expected(KnownFields.ParseFrom(observation));
            if (!AreEqual(expected, actual))
                return new CodecCheck($"{FirstDifference(expected, actual)} differs after decoding", false, encoded.Length);
            lostUnknownFields = true;
        }
        var sum = new Checksum();
        expected.Touch(ref sum);
        var problem = codec.Touch(decoded) == sum.Value ? null : "reading every field gave another checksum than for the message";
        return new CodecCheck(problem, lostUnknownFields, encoded.Length);
    }

    private static bool AreEqual(ResponseObservation one, ResponseObservation other)
    {
        if (one.Equals(other)) return true;
        // Messages compare floats by their bits, and NaN has many.
        var (first, second) = (one.Clone(), other.Clone());
        UniteNaN(first);
        UniteNaN(second);
        return first.Equals(second);
    }

    private static void UniteNaN(IMessage message)
    {
        foreach (var field in message.Descriptor.Fields.InFieldNumberOrder())
        {
            if (field.FieldType == FieldType.Message)
            {
                var value = field.Accessor.GetValue(message);
                foreach (IMessage each in field.IsRepeated ? (IList)value : value is null ? [] : new[] { value }) UniteNaN(each);
            }
            else if (field.FieldType == FieldType.Float && !field.IsRepeated && field.Accessor.GetValue(message) is float.NaN)
            {
                field.Accessor.SetValue(message, float.NaN);
            }
        }
    }

    private static string FirstDifference(IMessage expected, IMessage actual)
    {
        foreach (var field in expected.Descriptor.Fields.InFieldNumberOrder())
        {
            var (one, other) = (field.Accessor.GetValue(expected), field.Accessor.GetValue(actual));
            if (field.IsRepeated)
            {
                var (many, others) = ((IList)one, (IList)other);
                if (many.Count != others.Count) return $"{field.Name} ({many.Count} elements, {others.Count} after decoding)";
                for (var i = 0; i < many.Count; i++)
                {
                    if (Equals(many[i], others[i])) continue;
                    return $"{field.Name}[{i}]"
                        + (field.FieldType == FieldType.Message ? $".{FirstDifference((IMessage)many[i]!, (IMessage)others[i]!)}" : "");
                }
            }
            else if (!Equals(one, other) || (field.HasPresence && field.Accessor.HasValue(expected) != field.Accessor.HasValue(actual)))
            {
                return one is IMessage message && other is IMessage second
                    ? $"{field.Name}.{FirstDifference(message, second)}"
                    : field.Name;
            }
        }
        return "unknown fields";
    }
}
