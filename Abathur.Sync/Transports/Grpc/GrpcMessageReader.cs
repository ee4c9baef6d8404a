using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// Takes length-prefixed messages off a request body: one byte (1: compressed), four bytes big-endian length, then the
/// message. A message is a view of the transport's memory, valid until the next read.
/// </summary>
internal sealed class GrpcMessageReader(PipeReader body, int maxMessageBytes, string? encoding)
{
    public const int PrefixBytes = 5;

    private SequencePosition _consumed;
    private bool _holdsMessage;
    private GrpcException? _failure;

    /// <summary>Whether the last message came compressed.</summary>
    public bool WasCompressed { get; private set; }

    /// <summary>
    /// The next message, or null at the end of the stream. Throws <see cref="GrpcException"/> for what is not framed
    /// right, and again on every later read: where the next message begins is not known then.
    /// </summary>
    public async ValueTask<ReadOnlySequence<byte>?> ReadAsync(CancellationToken cancellation)
    {
        if (_failure is not null) throw _failure;
        if (_holdsMessage) body.AdvanceTo(_consumed);
        _holdsMessage = false;
        while (true)
        {
            var result = await body.ReadAsync(cancellation);
            var buffer = result.Buffer;
            if (TryTake(buffer, result.IsCompleted, out var message))
            {
                _consumed = buffer.GetPosition(PrefixBytes + message.Length);
                _holdsMessage = true;
                return WasCompressed ? Decompress(message) : message;
            }
            body.AdvanceTo(buffer.Start, buffer.End);
            if (_failure is not null) throw _failure;
            if (result.IsCompleted) return null;
        }
    }

    /// <summary>True: a message is there. False: read on, or see <see cref="_failure"/>.</summary>
    private bool TryTake(ReadOnlySequence<byte> buffer, bool isLast, out ReadOnlySequence<byte> message)
    {
        message = default;
        if (buffer.Length < PrefixBytes) return isLast && !buffer.IsEmpty && Fail(Truncated(buffer.Length));
        Span<byte> prefix = stackalloc byte[PrefixBytes];
        buffer.Slice(0, PrefixBytes).CopyTo(prefix);
        var length = BinaryPrimitives.ReadUInt32BigEndian(prefix[1..]);
        if (length > (uint)maxMessageBytes)
        {
            return Fail(new(GrpcStatusCode.ResourceExhausted, $"a request message of {length} bytes is over the limit of {maxMessageBytes}"));
        }
        if (prefix[0] > 1) return Fail(new(GrpcStatusCode.Internal, $"compressed flag {prefix[0]} is neither 0 nor 1"));
        if (buffer.Length < PrefixBytes + length) return isLast && Fail(Truncated(buffer.Length));
        WasCompressed = prefix[0] == 1;
        message = buffer.Slice(PrefixBytes, length);
        return true;
    }

    private bool Fail(GrpcException failure)
    {
        _failure = failure;
        return false;
    }

    private static GrpcException Truncated(long bytes) =>
        new(GrpcStatusCode.Internal, $"the request ends in the middle of a message ({bytes} bytes are there)");

    private ReadOnlySequence<byte> Decompress(ReadOnlySequence<byte> message)
    {
        if (encoding is not GrpcEncoding.Gzip)
        {
            throw new GrpcException(GrpcStatusCode.Internal, $"a message is marked compressed, but grpc-encoding is {encoding ?? "absent"}");
        }
        try
        {
            return new ReadOnlySequence<byte>(GrpcEncoding.Decompress(message, maxMessageBytes));
        }
        catch (InvalidDataException)
        {
            throw new GrpcException(GrpcStatusCode.Internal, "a message marked compressed is not gzip");
        }
    }
}
