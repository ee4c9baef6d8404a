using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Text;
using Abathur.Grpc;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Abathur.Sync.V1;
using Google.Protobuf;
using Encoding = System.Text.Encoding;

namespace Abathur.Sync.Transports.Socket;

/// <summary>Lines of JSON: <see cref="ClientMessage"/> in, <see cref="ServerMessage"/> out.</summary>
internal static class JsonLine
{
    /// <summary>Longest line that a client may send.</summary>
    public const int MaxBytes = 1024 * 1024;

    private const int MaxDepth = 64;
    private const int MaxQuoted = 40;
    private static readonly ProtoJsonTranscoder Incoming = ProtoJsonTranscoder.Create(ClientMessage.Descriptor, new ProtoJsonOptions { MaxDepth = MaxDepth });
    private static readonly ProtoJsonTranscoder Outgoing = ProtoJsonTranscoder.For(ServerMessage.Descriptor);
    private static readonly ConditionalWeakTable<Match, byte[]> Matches = [];
    private static readonly UTF8Encoding StrictUtf8 = new(false, throwOnInvalidBytes: true);

    /// <summary>The next line without its end, or null when the client has closed. Throws <see cref="GrpcException"/> for one that is too long or not UTF-8.</summary>
    public static async ValueTask<string?> ReadAsync(PipeReader input, CancellationToken cancellation, int maxBytes = MaxBytes)
    {
        while (true)
        {
            var result = await input.ReadAsync(cancellation);
            var buffer = result.Buffer;
            try
            {
                if (buffer.PositionOf((byte)'\n') is { } end && buffer.Slice(0, end).Length <= maxBytes)
                {
                    var line = Decode(buffer.Slice(0, end));
                    input.AdvanceTo(buffer.GetPosition(1, end));
                    return line;
                }
                if (buffer.Length > maxBytes) throw new GrpcException(GrpcStatusCode.InvalidArgument, $"a line is longer than {maxBytes} bytes");
                if (result.IsCompleted)
                {
                    var rest = buffer.IsEmpty ? null : Decode(buffer);
                    input.AdvanceTo(buffer.End);
                    return rest;
                }
            }
            catch (GrpcException)
            {
                // Whoever says goodbye reads on.
                input.AdvanceTo(buffer.End);
                throw;
            }
            input.AdvanceTo(buffer.Start, buffer.End);
        }
    }

    /// <summary>The message on a line. Throws <see cref="GrpcException"/> (INVALID_ARGUMENT) for anything else.</summary>
    public static ClientMessage Parse(string line)
    {
        if (!line.AsSpan().TrimStart().StartsWith("{")) throw Invalid($"expected a line of JSON such as {{\"subscribe\":{{}}}}, got \"{Quote(line)}\"");
        try
        {
            var message = new ArrayBufferWriter<byte>();
            Incoming.ToProto(Encoding.UTF8.GetBytes(line), message);
            return ClientMessage.Parser.ParseFrom(message.WrittenSpan);
        }
        catch (ProtoJsonException e)
        {
            throw Invalid($"not a ClientMessage: {e.Message}");
        }
    }

    /// <summary>Writes a message as a line.</summary>
    public static void Write(IBufferWriter<byte> output, ServerMessage message)
    {
        WriteText(output, message);
        output.Write("\n"u8);
    }

    /// <summary>Writes a message without the end of a line.</summary>
    public static void WriteText(IBufferWriter<byte> output, ServerMessage message)
    {
        if (message.Match is null)
        {
            Outgoing.ToJson(message.ToByteArray(), output);
            return;
        }
        // With its game info and data it is by far the longest message, and each agent that comes is sent the same.
        var text = Matches.GetValue(message.Match, static match => ToJson(new ServerMessage { Match = match }));
        text.CopyTo(output.GetSpan(text.Length));
        output.Advance(text.Length);
    }

    private static byte[] ToJson(ServerMessage message)
    {
        var output = new ArrayBufferWriter<byte>();
        Outgoing.ToJson(message.ToByteArray(), output);
        return output.WrittenSpan.ToArray();
    }

    private static string Decode(ReadOnlySequence<byte> bytes)
    {
        try
        {
            return StrictUtf8.GetString(bytes).TrimEnd('\r');
        }
        catch (DecoderFallbackException)
        {
            throw Invalid("the line is not UTF-8 text");
        }
    }

    private static string Quote(string line) => string.Concat(line.Take(MaxQuoted).Select(letter => char.IsControl(letter) ? '?' : letter));

    private static GrpcException Invalid(string message) => new(GrpcStatusCode.InvalidArgument, message);
}
