using System.Buffers;
using System.IO.Pipelines;
using System.Text.Unicode;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Abathur.Sync.Requests;
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
    private static readonly ProtoJsonTranscoder Incoming = ProtoJsonTranscoder.Create(
        ClientMessage.Descriptor, new ProtoJsonOptions { MaxDepth = MaxDepth });
    private static readonly ProtoJsonTranscoder Outgoing = ProtoJsonTranscoder.For(ServerMessage.Descriptor);

    private static ReadOnlySpan<byte> Blank => " \t\r\n"u8;

    /// <summary>
    /// The message on the next line, or null at the end of the input. Throws <see cref="RefusedException"/> (INVALID_ARGUMENT) for a line
    /// that is too long, not UTF-8, or not a message.
    /// </summary>
    /// <param name="input">The input.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <param name="maxBytes">Longest line.</param>
    /// <param name="skipsBlank">Whether blank lines are skipped; otherwise they are an error.</param>
    public static async ValueTask<ClientMessage?> ReadAsync(
        PipeReader input, CancellationToken cancellationToken, int maxBytes = MaxBytes, bool skipsBlank = true)
    {
        while (true)
        {
            var result = await input.ReadAsync(cancellationToken);
            var rest = result.Buffer;
            try
            {
                while (TryTakeLine(ref rest, result.IsCompleted, maxBytes, out var line))
                {
                    if (Parse(line, skipsBlank) is not { } message) continue;
                    input.AdvanceTo(rest.Start);
                    return message;
                }
            }
            catch (RefusedException)
            {
                // The session continues to read after its last message.
                input.AdvanceTo(result.Buffer.End);
                throw;
            }
            input.AdvanceTo(rest.Start, rest.End);
            if (result.IsCompleted) return null;
        }
    }

    /// <summary>The message in a text that is known to be UTF-8. Throws <see cref="RefusedException"/> (INVALID_ARGUMENT) for anything
    /// else.</summary>
    public static ClientMessage Parse(ReadOnlySpan<byte> text)
    {
        if (!text.TrimStart(Blank).StartsWith("{"u8))
            throw Invalid($"expected a line of JSON such as {{\"subscribe\":{{}}}}, got \"{Quote(text)}\"");
        try
        {
            var message = new ArrayBufferWriter<byte>(text.Length);
            Incoming.ToProto(text, message);
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

    /// <summary>Writes a message without the line feed.</summary>
    public static void WriteText(IBufferWriter<byte> output, ServerMessage message) => Outgoing.ToJson(message.ToByteArray(), output);

    private static bool TryTakeLine(ref ReadOnlySequence<byte> rest, bool isLast, int maxBytes, out ReadOnlySequence<byte> line)
    {
        line = default;
        if (rest.PositionOf((byte)'\n') is { } end && rest.Slice(0, end).Length <= maxBytes)
        {
            line = rest.Slice(0, end);
            rest = rest.Slice(rest.GetPosition(1, end));
            return true;
        }
        if (rest.Length > maxBytes) throw Invalid($"a line is longer than {maxBytes} bytes");
        if (!isLast || rest.IsEmpty) return false;
        (line, rest) = (rest, rest.Slice(rest.End));
        return true;
    }

    private static ClientMessage? Parse(ReadOnlySequence<byte> line, bool skipsBlank)
    {
        var text = line.IsSingleSegment ? line.FirstSpan : line.ToArray();
        if (!Utf8.IsValid(text)) throw Invalid("the line is not UTF-8 text");
        text = text.TrimEnd((byte)'\r');
        return skipsBlank && text.Trim(Blank).IsEmpty ? null : Parse(text);
    }

    private static string Quote(ReadOnlySpan<byte> text) =>
        string.Concat(Encoding.UTF8.GetString(text[..Math.Min(text.Length, 4 * MaxQuoted)]).Take(MaxQuoted).Select(
            letter => char.IsControl(letter) ? '?' : letter));

    private static RefusedException Invalid(string message) => new(RequestStatus.InvalidArgument, message);
}
