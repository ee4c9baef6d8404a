using System.Buffers;
using System.Buffers.Binary;
using System.IO.Compression;
using Abathur.Grpc;
using Abathur.Grpc.Tests;

namespace Abathur.Fuzz.Targets;

/// <summary>gRPC's message framing. The first byte of an input chooses the sizes of the pieces that it comes in, the second whether gzip is
/// agreed on.</summary>
internal sealed class GrpcTarget : IFuzzTarget
{
    private const int MaxMessageBytes = 2000;

    public string Name => "grpc";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0x07, 0xD0], [0, 0, 0, 0x07, 0xD1], [0, 0xFF, 0xFF, 0xFF, 0xFF], [0x1F, 0x8B, 8, 0],
    ];

    public int MaxBytes => 10_000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        for (var i = 0; i < 20; i++)
        {
            var input = new List<byte> { (byte)i, (byte)(i % 2) };
            for (var messages = random.Next(4); messages > 0; messages--)
            {
                var message = new byte[random.Next(300)];
                random.NextBytes(message);
                var isCompressed = i % 2 == 1 && message.Length > 0 && random.Next(2) == 0;
                input.AddRange(isCompressed ? GrpcFrames.Frame(GrpcEncoding.Compress(message), flag: 1) : GrpcFrames.Frame(message));
            }
            yield return [.. input];
        }
        yield return [0, 1, .. GrpcFrames.Frame(GrpcEncoding.Compress(new byte[100_000]), flag: 1)];
    }

    public int Run(byte[] input)
    {
        if (input.Length < 2) return 0;
        var body = input[2..];
        var encoding = input[1] % 2 == 1 ? GrpcEncoding.Gzip : null;
        var (messages, status) = Pieces.Feed(
            body, input[0],
            reader =>
                ReadAsync(new GrpcMessageReader(reader, new ByteBudget(long.MaxValue), encoding) { MaxMessageBytes = MaxMessageBytes }));
        var (expected, refusal) = Reference(body, encoding is not null);
        Check.That(messages.Count == expected.Count, $"{messages.Count} messages instead of {expected.Count}");
        for (var i = 0; i < messages.Count; i++) Check.That(messages[i].AsSpan().SequenceEqual(expected[i]), $"message {i} is another one");
        // Of a bomb that is damaged as well, either may be found first.
        var isEither = refusal is not null
            && status is GrpcStatusCode.Internal or GrpcStatusCode.ResourceExhausted
            && messages.Count < CompressedFrom(body, messages.Count);
        Check.That(refusal == status || isEither, $"{status?.ToString() ?? "the end"} instead of {refusal?.ToString() ?? "the end"}");
        return HashCode.Combine(messages.Count, status, Check.Bucket(body.Length));
    }

    public void Dispose()
    {
    }

    private static async Task<(List<byte[]> Messages, GrpcStatusCode? Status)> ReadAsync(GrpcMessageReader reader)
    {
        var messages = new List<byte[]>();
        try
        {
            while (await reader.ReadAsync(CancellationToken.None) is { } message) messages.Add(message.ToArray());
            return (messages, null);
        }
        catch (GrpcException e)
        {
            return (messages, e.StatusCode);
        }
    }

    /// <summary>So many messages and one more where the message after them is compressed; else 0.</summary>
    private static int CompressedFrom(ReadOnlySpan<byte> body, int messages)
    {
        for (var i = 0; i < messages; i++) body = body[(5 + BinaryPrimitives.ReadInt32BigEndian(body[1..]))..];
        return !body.IsEmpty && body[0] == 1 ? messages + 1 : 0;
    }

    /// <summary>The framing once more, in the simplest way.</summary>
    private static (List<byte[]> Messages, GrpcStatusCode? Status) Reference(ReadOnlySpan<byte> body, bool hasGzip)
    {
        var messages = new List<byte[]>();
        while (!body.IsEmpty)
        {
            if (body.Length < 5) return (messages, GrpcStatusCode.Internal);
            var length = BinaryPrimitives.ReadUInt32BigEndian(body[1..]);
            if (length > MaxMessageBytes) return (messages, GrpcStatusCode.ResourceExhausted);
            if (body[0] > 1 || body.Length < 5 + length) return (messages, GrpcStatusCode.Internal);
            var message = body.Slice(5, (int)length).ToArray();
            if (body[0] == 1)
            {
                if (!hasGzip) return (messages, GrpcStatusCode.Internal);
                if (message.Length > 0 && Unpack(ref message) is { } status) return (messages, status);
            }
            body = body[(5 + (int)length)..];
            messages.Add(message);
        }
        return (messages, null);
    }

    private static GrpcStatusCode? Unpack(ref byte[] message)
    {
        try
        {
            using var gzip = new GZipStream(new MemoryStream(message), CompressionMode.Decompress);
            var room = new byte[MaxMessageBytes + 1];
            var length = gzip.ReadAtLeast(room, room.Length, throwOnEndOfStream: false);
            if (length > MaxMessageBytes) return GrpcStatusCode.ResourceExhausted;
            // A member has 18 bytes at least, and ends with the length of what it holds.
            if (message.Length < 18 || BinaryPrimitives.ReadInt32LittleEndian(message.AsSpan(message.Length - 4)) != length)
                return GrpcStatusCode.Internal;
            message = room[..length];
            return null;
        }
        catch (InvalidDataException)
        {
            return GrpcStatusCode.Internal;
        }
    }
}
