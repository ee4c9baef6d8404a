using System.Buffers;
using Google.Protobuf;
using Grpc.Core;

namespace Abathur.Client;

/// <summary>Messages to bytes, for the gRPC library.</summary>
internal static class GrpcFields
{
    /// <summary>A message with one field, whose value is serialized already.</summary>
    public sealed class Message
    {
        /// <summary>Number of the field, 1 to 15.</summary>
        public int Field { get; set; }

        /// <summary>Its value.</summary>
        public ReadOnlyMemory<byte> Value { get; set; }
    }

    /// <summary>Writes messages with one field.</summary>
    public static Marshaller<Message> OneField { get; } = new(Write, _ => throw new NotSupportedException());

    /// <summary>Messages of one type.</summary>
    public static Marshaller<T> MarshallerOf<T>()
        where T : class, IMessage<T>, new() =>
        new(
            (message, context) =>
            {
                context.SetPayloadLength(message.CalculateSize());
                message.WriteTo(context.GetBufferWriter());
                context.Complete();
            },
            context => new MessageParser<T>(() => new T()).ParseFrom(context.PayloadAsReadOnlySequence()));

    private static void Write(Message message, SerializationContext context)
    {
        Span<byte> head = stackalloc byte[FieldHead.MaxBytes];
        var start = FieldHead.WriteBefore(head, message.Field, message.Value.Length);
        context.SetPayloadLength(FieldHead.MaxBytes - start + message.Value.Length);
        var output = context.GetBufferWriter();
        output.Write(head[start..]);
        output.Write(message.Value.Span);
        context.Complete();
    }
}
