using System.Buffers;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Abathur.Protobuf.Wire;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Client;

/// <summary>Messages as lines of JSON: the first one of each side, and all with <see cref="FrameEncoding.Json"/>.</summary>
internal static class ServerText
{
    private static readonly ProtoJsonTranscoder Incoming = ProtoJsonTranscoder.For(ServerMessage.Descriptor);
    private static readonly ProtoJsonTranscoder Outgoing = ProtoJsonTranscoder.For(ClientMessage.Descriptor);

    /// <summary>A message as a line.</summary>
    public static byte[] ToLine(ClientMessage message)
    {
        var output = new ArrayBufferWriter<byte>();
        Outgoing.ToJson(message.ToByteArray(), output);
        output.Write("\n"u8);
        return output.WrittenSpan.ToArray();
    }

    /// <summary>Writes the <c>ServerMessage</c> of a line in protobuf.</summary>
    /// <exception cref="ProtocolException">It is not one.</exception>
    public static void ToProto(ReadOnlySpan<byte> line, IBufferWriter<byte> output)
    {
        try
        {
            Incoming.ToProto(line, output);
        }
        catch (ProtoJsonException e)
        {
            throw new ProtocolException($"a line is not a ServerMessage: {e.Message}", e);
        }
    }

    /// <summary>The message in a line.</summary>
    /// <exception cref="ProtocolException">It is not a <c>ServerMessage</c>.</exception>
    public static ServerMessage Parse(ReadOnlySpan<byte> line)
    {
        var output = new ArrayBufferWriter<byte>(Math.Max(line.Length, 1));
        ToProto(line, output);
        return Parse<ServerMessage>(output.WrittenSpan);
    }

    /// <summary>The last message in a <c>ServerMessage</c>, as protobuf reads a oneof.</summary>
    /// <exception cref="ProtocolException">It is not one.</exception>
    public static (ServerMessage.MessageOneofCase Kind, ReadOnlyMemory<byte> Body) Split(ReadOnlyMemory<byte> message)
    {
        var found = (ServerMessage.MessageOneofCase.None, ReadOnlyMemory<byte>.Empty);
        try
        {
            var reader = new WireReader(message.Span);
            while (reader.ReadTag())
            {
                if (reader.WireType == WireFormat.WireType.LengthDelimited)
                    found = ((ServerMessage.MessageOneofCase)reader.FieldNumber, message[reader.ReadRange()]);
                else reader.SkipValue();
            }
            return found;
        }
        catch (InvalidDataException e)
        {
            throw new ProtocolException($"not a ServerMessage: {e.Message}", e);
        }
    }

    /// <summary>A message from its bytes.</summary>
    /// <exception cref="ProtocolException">They are not one.</exception>
    public static T Parse<T>(ReadOnlySpan<byte> bytes) where T : class, IMessage<T>, new()
    {
        try
        {
            return LenientParser.Parse<T>(bytes);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new ProtocolException($"not a {typeof(T).Name}: {e.Message}", e);
        }
    }
}
