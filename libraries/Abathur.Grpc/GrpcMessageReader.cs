using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;

namespace Abathur.Grpc;

/// <summary>
/// Reads length-prefixed messages from a request body: one byte (1: compressed), four bytes big-endian length, then the
/// message. A message is a view of the transport's memory, valid until the next read.
/// </summary>
/// <param name="body">The request body.</param>
/// <param name="budget">Counts the bytes of incomplete messages, and decompressed messages.</param>
/// <param name="encoding">The header <c>grpc-encoding</c>; null: absent.</param>
internal sealed class GrpcMessageReader(PipeReader body, ByteBudget budget, string? encoding) : IDisposable
{
    public const int PrefixBytes = 5;

    private SequencePosition _consumed;
    private bool _holdsMessage;
    private long _reservedBytes;
    private byte[]? _decompressed;
    private GrpcException? _failure;

    /// <summary>Largest message, compressed and decompressed. It applies from the next read on.</summary>
    public required int MaxMessageBytes { get; set; }

    /// <summary>Whether the last message came compressed.</summary>
    public bool WasCompressed { get; private set; }

    /// <summary>
    /// The next message, or null at the end of the stream. Throws <see cref="GrpcException"/> for invalid
    /// framing, and again on every later read, because the start of the next message is unknown then.
    /// </summary>
    public async ValueTask<ReadOnlySequence<byte>?> ReadAsync(CancellationToken cancellation)
    {
        if (_failure is not null) throw _failure;
        if (_holdsMessage) body.AdvanceTo(_consumed);
        _holdsMessage = false;
        ReleaseHeld();
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
            if (_failure is null && !TryHold(buffer.Length)) Fail(TooMuchHeld(buffer.Length));
            // Unexamined bytes stop the client. After a failure no more input is needed.
            body.AdvanceTo(buffer.Start, _failure is null ? buffer.End : buffer.Start);
            if (_failure is not null) throw _failure;
            if (result.IsCompleted) return null;
        }
    }

    /// <summary>Releases the held memory.</summary>
    public void Dispose()
    {
        ReleaseHeld();
        _failure ??= new(GrpcStatusCode.Cancelled, "the call is over");
    }

    /// <summary>True: a message is complete. False: read more, or see <see cref="_failure"/>.</summary>
    private bool TryTake(ReadOnlySequence<byte> buffer, bool isLast, out ReadOnlySequence<byte> message)
    {
        message = default;
        if (buffer.Length < PrefixBytes) return isLast && !buffer.IsEmpty && Fail(Truncated(buffer.Length));
        Span<byte> prefix = stackalloc byte[PrefixBytes];
        buffer.Slice(0, PrefixBytes).CopyTo(prefix);
        var length = BinaryPrimitives.ReadUInt32BigEndian(prefix[1..]);
        if (length > (uint)MaxMessageBytes)
        {
            return Fail(
                new(GrpcStatusCode.ResourceExhausted, $"a request message of {length} bytes is over the limit of {MaxMessageBytes}"));
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
        new(GrpcStatusCode.Internal, $"the request ended inside a message (after {bytes} bytes)");

    private GrpcException TooMuchHeld(long bytes) =>
        new(
            GrpcStatusCode.ResourceExhausted,
            $"{bytes} bytes of a request message are over what the connection ({budget.MaxBytes} bytes) or the server may hold: send "
                + "fewer large messages at once");

    /// <summary>Counts the held bytes of this message, which only grow until it is complete.</summary>
    private bool TryHold(long bytes)
    {
        if (!budget.TryReserve(bytes - _reservedBytes)) return false;
        _reservedBytes = bytes;
        return true;
    }

    private void ReleaseHeld()
    {
        if (_decompressed is not null) ArrayPool<byte>.Shared.Return(_decompressed);
        _decompressed = null;
        if (_reservedBytes > 0) budget.Release(_reservedBytes);
        _reservedBytes = 0;
    }

    private ReadOnlySequence<byte> Decompress(ReadOnlySequence<byte> message)
    {
        if (encoding is not GrpcEncoding.Gzip)
        {
            throw new GrpcException(
                GrpcStatusCode.Internal, $"a message is marked compressed, but grpc-encoding is {encoding ?? "absent"}");
        }
        try
        {
            // The declared size is checked before memory is allocated, and not more than that is decompressed.
            var length = GrpcEncoding.MeasureDecompressed(message);
            if (length > MaxMessageBytes)
            {
                throw new GrpcException(
                    GrpcStatusCode.ResourceExhausted,
                    $"a request message decompresses to {length} bytes, which is over the limit of {MaxMessageBytes}");
            }
            if (!TryHold(Math.Max(_reservedBytes, message.Length) + length)) throw TooMuchHeld(message.Length + length);
            _decompressed = ArrayPool<byte>.Shared.Rent((int)length);
            GrpcEncoding.Decompress(message, _decompressed.AsSpan(0, (int)length));
            return new ReadOnlySequence<byte>(_decompressed, 0, (int)length);
        }
        catch (InvalidDataException)
        {
            throw new GrpcException(GrpcStatusCode.Internal, "a message marked compressed is not gzip");
        }
    }
}
