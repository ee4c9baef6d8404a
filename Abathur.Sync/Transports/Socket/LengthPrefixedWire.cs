using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using Abathur.Sync.Frames;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports.Framing;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Transports.Socket;

/// <summary>Session messages in protobuf, each with its length in front: four bytes, little-endian.</summary>
internal sealed class LengthPrefixedWire(PipeReader input, SocketOutput output) : ISessionWire
{
    /// <summary>Longest message that a client may send.</summary>
    public const int MaxBytes = 1024 * 1024;

    public async ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            var result = await input.ReadAsync(cancellationToken);
            var buffer = result.Buffer;
            try
            {
                if (TryTake(buffer, out var message, out var end))
                {
                    input.AdvanceTo(end);
                    return message;
                }
            }
            catch (RefusedException)
            {
                // The connection continues to read after the last message.
                input.AdvanceTo(buffer.End);
                throw;
            }
            input.AdvanceTo(buffer.Start, buffer.End);
            if (!result.IsCompleted) continue;
            if (buffer.IsEmpty) return null;
            throw new RefusedException(RequestStatus.InvalidArgument, "the connection ended inside a message");
        }
    }

    public void Write(ServerMessage message) => Write(output.Writer, message);

    /// <summary>Writes a message, its length in front.</summary>
    public static void Write(IBufferWriter<byte> output, ServerMessage message)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(output.GetSpan(ProtoFraming.PrefixBytes), (uint)message.CalculateSize());
        output.Advance(ProtoFraming.PrefixBytes);
        message.WriteTo(output);
    }

    public ValueTask WriteMatchAsync(Match match, CancellationToken cancellationToken)
    {
        output.Write(MatchMessages.LengthPrefixed(match));
        return default;
    }

    public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
    {
        var message = frame.RentMessage(ProtoFraming.LengthPrefixed, dropped);
        var bytes = message.Span.Length;
        output.Write(message);
        return bytes;
    }

    public ValueTask<bool> FlushAsync(CancellationToken cancellationToken) => output.FlushAsync(cancellationToken);

    /// <summary>The first message of a buffer, as bytes; false if it is incomplete.</summary>
    /// <exception cref="RefusedException">It is longer than <paramref name="maxBytes"/>.</exception>
    public static bool TrySlice(ReadOnlySequence<byte> buffer, int maxBytes, out ReadOnlySequence<byte> message)
    {
        message = default;
        if (buffer.Length < ProtoFraming.PrefixBytes) return false;
        Span<byte> prefix = stackalloc byte[ProtoFraming.PrefixBytes];
        buffer.Slice(0, ProtoFraming.PrefixBytes).CopyTo(prefix);
        var length = BinaryPrimitives.ReadUInt32LittleEndian(prefix);
        if (length > maxBytes)
            throw new RefusedException(RequestStatus.InvalidArgument, $"a message of {length} bytes is over the limit of {maxBytes}");
        if (buffer.Length < ProtoFraming.PrefixBytes + length) return false;
        message = buffer.Slice(ProtoFraming.PrefixBytes, length);
        return true;
    }

    private static bool TryTake(ReadOnlySequence<byte> buffer, out ClientMessage? message, out SequencePosition end)
    {
        (message, end) = (null, default);
        if (!TrySlice(buffer, MaxBytes, out var bytes)) return false;
        end = bytes.End;
        try
        {
            message = ClientMessage.Parser.ParseFrom(bytes);
            return true;
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new RefusedException(RequestStatus.InvalidArgument, $"not a ClientMessage: {e.Message}");
        }
    }
}
