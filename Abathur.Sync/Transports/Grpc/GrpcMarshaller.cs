using System.Buffers;
using Abathur.Sync.Frames;
using Google.Protobuf;
using Grpc.Core;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>Messages to and from bytes, for the gRPC library.</summary>
internal static class GrpcMarshaller
{
    /// <summary>Requests whose bytes are copied once and not parsed. The receiver has the reference.</summary>
    public static Marshaller<SharedBuffer> Bytes { get; } =
        new((_, _) => throw new NotSupportedException("only requests are bytes"), Copy);

    /// <summary>Messages of one type. A request that cannot be parsed is refused (INTERNAL).</summary>
    public static Marshaller<T> Of<T>(MessageParser<T> parser)
        where T : class, IMessage<T> =>
        new(Write, context => Parse(parser, context));

    private static void Write<T>(T message, SerializationContext context)
        where T : class, IMessage<T>
    {
        context.SetPayloadLength(message.CalculateSize());
        message.WriteTo(context.GetBufferWriter());
        context.Complete();
    }

    private static T Parse<T>(MessageParser<T> parser, DeserializationContext context)
        where T : class, IMessage<T>
    {
        try
        {
            return parser.ParseFrom(context.PayloadAsReadOnlySequence());
        }
        catch (InvalidProtocolBufferException e)
        {
            throw GrpcErrors.Of(StatusCode.Internal, $"the request is not a {typeof(T).Name}: {e.Message}");
        }
    }

    private static SharedBuffer Copy(DeserializationContext context)
    {
        var bytes = context.PayloadAsReadOnlySequence();
        var buffer = SharedBuffer.Rent(context.PayloadLength);
        foreach (var segment in bytes) buffer.Write(segment.Span);
        return buffer;
    }
}
