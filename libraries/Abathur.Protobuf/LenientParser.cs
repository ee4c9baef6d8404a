using System.Buffers;
using Abathur.Protobuf.ProtoJson;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Abathur.Protobuf;

/// <summary>
/// Parses messages whose strings may not be UTF-8. Google.Protobuf refuses such a message as a whole, and StarCraft II passes on what a
/// player writes, and the names in a map, byte for byte.
/// </summary>
public static class LenientParser
{
    /// <summary>Parses a message. What is not UTF-8 in its strings becomes U+FFFD; a message with such a string loses unknown fields and
    /// extensions.</summary>
    /// <exception cref="InvalidProtocolBufferException">Something else is wrong with it.</exception>
    public static T Parse<T>(ReadOnlySpan<byte> bytes) where T : class, IMessage<T>, new() =>
        // The descriptors of a file take a tenth of a second to make: only what has to be repaired needs them.
        (T)Parse(Parser<T>.Value, static () => new T().Descriptor, bytes);

    /// <inheritdoc cref="Parse{T}"/>
    public static IMessage Parse(MessageDescriptor type, ReadOnlySpan<byte> bytes) => Parse(type.Parser, () => type, bytes);

    private static IMessage Parse(MessageParser parser, Func<MessageDescriptor> type, ReadOnlySpan<byte> bytes)
    {
        ArrayBufferWriter<byte>? repaired = null;
        try
        {
            return parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException) when ((repaired = Repair(type(), bytes)) is not null)
        {
            return parser.ParseFrom(repaired.WrittenSpan);
        }
    }

    /// <summary>The same message with strings that are UTF-8; null if that is not what is wrong with it.</summary>
    private static ArrayBufferWriter<byte>? Repair(MessageDescriptor type, ReadOnlySpan<byte> bytes)
    {
        var transcoder = ProtoJsonTranscoder.For(type);
        var (json, repaired) = (new ArrayBufferWriter<byte>(), new ArrayBufferWriter<byte>());
        try
        {
            transcoder.ToJson(bytes, json);
            transcoder.ToProto(json.WrittenSpan, repaired);
            return repaired;
        }
        catch (ProtoJsonException)
        {
            return null;
        }
    }

    private static class Parser<T> where T : class, IMessage<T>, new()
    {
        public static readonly MessageParser<T> Value = new(static () => new T());
    }
}
