using System.Buffers.Binary;
using Abathur.Sync.Tests.Transports.Grpc;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.Grpc;
using Grpc.Core;

namespace Abathur.Fuzz.Targets;

/// <summary>The limits on a gRPC request's body. The first byte of an input chooses the sizes of the pieces that it comes in.</summary>
internal sealed class GrpcTarget : IFuzzTarget
{
    private const int MaxMessageBytes = 2000;

    public string Name => "grpc";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0x07, 0xD0], [0, 0, 0, 0x07, 0xD1], [0, 0xFF, 0xFF, 0xFF, 0xFF],
    ];

    public int MaxBytes => 10_000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        for (var i = 0; i < 20; i++)
        {
            var input = new List<byte> { (byte)i };
            for (var messages = random.Next(4); messages > 0; messages--)
            {
                var message = new byte[random.Next(300)];
                random.NextBytes(message);
                input.AddRange(GrpcFrames.Frame(message, flag: random.Next(8) == 0 ? (byte)1 : (byte)0));
            }
            yield return [.. input];
        }
    }

    public int Run(byte[] input)
    {
        if (input.Length < 1) return 0;
        var body = input[1..];
        var budget = new ByteBudget(long.MaxValue);
        var (messages, failure) = Pieces.Feed(body, input[0], async reader =>
        {
            using var limited = new GrpcRequestBody(reader, budget, MaxMessageBytes, isStream: true, TimeProvider.System);
            return await GrpcFrames.ReadAllAsync(limited);
        });
        var (expected, status) = Reference(body);
        Check.That(messages.Count == expected.Count, $"{messages.Count} messages instead of {expected.Count}");
        for (var i = 0; i < messages.Count; i++) Check.That(messages[i].AsSpan().SequenceEqual(expected[i]), $"message {i} is another one");
        Check.That(failure?.StatusCode == status, $"{failure?.StatusCode} instead of {status}");
        Check.That(budget.HeldBytes == 0, $"{budget.HeldBytes} bytes are still held");
        return HashCode.Combine(messages.Count, status, Check.Bucket(body.Length));
    }

    public void Dispose()
    {
    }

    /// <summary>The framing once more, in the simplest way.</summary>
    private static (List<byte[]> Messages, StatusCode? Status) Reference(ReadOnlySpan<byte> body)
    {
        var messages = new List<byte[]>();
        while (!body.IsEmpty)
        {
            if (body.Length < GrpcFrames.PrefixBytes) return (messages, StatusCode.Internal);
            var length = BinaryPrimitives.ReadUInt32BigEndian(body[1..]);
            if (length > MaxMessageBytes) return (messages, StatusCode.ResourceExhausted);
            if (body[0] == 1) return (messages, StatusCode.Unimplemented);
            if (body[0] > 1 || body.Length < GrpcFrames.PrefixBytes + length) return (messages, StatusCode.Internal);
            messages.Add(body.Slice(GrpcFrames.PrefixBytes, (int)length).ToArray());
            body = body[(GrpcFrames.PrefixBytes + (int)length)..];
        }
        return (messages, null);
    }
}
