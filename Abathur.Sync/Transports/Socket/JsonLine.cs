using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Abathur.Sync.Transports.Grpc;
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
    private static readonly JsonParser Parser = new(new JsonParser.Settings(MaxDepth));
    private static readonly UTF8Encoding StrictUtf8 = new(false, throwOnInvalidBytes: true);

    /// <summary>The next line without its end, or null when the client has closed. Throws <see cref="GrpcException"/> for one that is too long or not UTF-8.</summary>
    public static async ValueTask<string?> ReadAsync(PipeReader input, CancellationToken cancellation, int maxBytes = MaxBytes)
    {
        while (true)
        {
            var result = await input.ReadAsync(cancellation);
            var buffer = result.Buffer;
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
            input.AdvanceTo(buffer.Start, buffer.End);
        }
    }

    /// <summary>The message on a line. Throws <see cref="GrpcException"/> (INVALID_ARGUMENT) for anything else.</summary>
    public static ClientMessage Parse(string line)
    {
        if (!line.AsSpan().TrimStart().StartsWith("{")) throw Invalid($"expected a line of JSON such as {{\"subscribe\":{{}}}}, got \"{Quote(line)}\"");
        try
        {
            return Parser.Parse<ClientMessage>(line);
        }
        catch (Exception e) when (e is InvalidProtocolBufferException or InvalidJsonException or FormatException or OverflowException or ArgumentException or InvalidOperationException)
        {
            throw Invalid($"not a ClientMessage: {e.Message}");
        }
    }

    public static void Write(PipeWriter output, ServerMessage message)
    {
        var json = JsonFormatter.Default.Format(message);
        Encoding.UTF8.GetBytes(json, output);
        output.Write("\n"u8);
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
