using System.Collections;
using System.Text;
using Abathur.Protobuf.ProtoJson;
using Abathur.Protobuf.Tests.Protos;
using global::Google.Protobuf;
using global::Google.Protobuf.Reflection;
using global::Google.Protobuf.WellKnownTypes;

namespace Abathur.Protobuf.Tests.ProtoJson;

/// <summary>What Google.Protobuf makes of the same input: the oracle of the transcoder's tests.</summary>
internal static class Google
{
    public static TypeRegistry Types { get; } = TypeRegistry.FromFiles(
        EverythingReflection.Descriptor, Everything2Reflection.Descriptor, Everything2023Reflection.Descriptor);

    private static readonly JsonFormatter Formatter = new(JsonFormatter.Settings.Default.WithTypeRegistry(Types));
    private static readonly JsonParser Parser = new(JsonParser.Settings.Default.WithTypeRegistry(Types));

    /// <summary>Our transcoder with the same types.</summary>
    public static ProtoJsonTranscoder TranscoderOf(MessageDescriptor type) =>
        ProtoJsonTranscoder.Create(type, new ProtoJsonOptions { TypeRegistry = Types });

    /// <summary>JSON without white space; null where Google refuses the bytes or has no JSON for them.</summary>
    public static string? ToJson(MessageDescriptor type, ReadOnlySpan<byte> wire)
    {
        try
        {
            return Compact(Formatter.Format(type.Parser.ParseFrom(wire.ToArray())));
        }
        // The last comes from a varint that the end of the bytes cuts: Google reads on behind it.
        catch (Exception e) when (e is InvalidProtocolBufferException
            or InvalidOperationException
            or ArgumentException
            or IndexOutOfRangeException)
        {
            Refusal = e.Message;
            return null;
        }
    }

    /// <summary>Why the last message was refused.</summary>
    public static string Refusal { get; private set; } = "";

    public static string Format(IMessage message) => Compact(Formatter.Format(message));

    /// <summary>The bytes of a JSON text; null where Google refuses it.</summary>
    public static byte[]? ToProto(MessageDescriptor type, string json)
    {
        try
        {
            return Parser.Parse(json, type).ToByteArray();
        }
        // The last two come from Convert.FromBase64String and from a token where none is expected.
        catch (Exception e) when (e is InvalidProtocolBufferException
            or InvalidJsonException
            or InvalidOperationException
            or FormatException
            or NotImplementedException)
        {
            return null;
        }
    }

    /// <summary>Whether Google takes what the transcoder refuses for this reason, and drops it without a word: the members of an Any
    /// that has no type.</summary>
    public static bool Drops(string refusal) => refusal.EndsWith("an Any needs a member \"@type\"", StringComparison.Ordinal);

    /// <summary>Whether a message, and those in its fields of type <c>Any</c>, are written with the bytes that they were read
    /// from.</summary>
    public static bool ReadsAllOf(IMessage message, ReadOnlySpan<byte> wire)
    {
        if (!message.ToByteArray().AsSpan().SequenceEqual(wire)) return false;
        foreach (var any in AnysIn(message))
        {
            if (Types.Find(Any.GetTypeName(any.TypeUrl)) is not { } type) continue;
            var value = any.Value.ToByteArray();
            try
            {
                if (!ReadsAllOf(type.Parser.ParseFrom(value), value)) return false;
            }
            catch (Exception e) when (e is InvalidProtocolBufferException or IndexOutOfRangeException)
            {
                return false;
            }
        }
        return true;
    }

    private static IEnumerable<Any> AnysIn(IMessage message)
    {
        if (message is Any any) yield return any;
        foreach (var field in message.Descriptor.Fields.InDeclarationOrder())
        {
            foreach (var inner in MessagesIn(field.Accessor.GetValue(message)).SelectMany(AnysIn)) yield return inner;
        }
    }

    private static IEnumerable<IMessage> MessagesIn(object? value) => value switch
    {
        IMessage message => [message],
        IDictionary map => map.Values.OfType<IMessage>(),
        IList list => list.OfType<IMessage>(),
        _ => [],
    };

    /// <summary>The same JSON without the white space between its tokens.</summary>
    public static string Compact(string json)
    {
        var compact = new StringBuilder(json.Length);
        var inString = false;
        for (var i = 0; i < json.Length; i++)
        {
            var each = json[i];
            if (each == '"') inString = !inString;
            if (inString || each is not (' ' or '\n' or '\r' or '\t')) compact.Append(each);
            if (inString && each == '\\') compact.Append(json[++i]);
        }
        return compact.ToString();
    }
}
