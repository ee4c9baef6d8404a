using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using Grpc.Core;

namespace Abathur.Sync.Tests.Transports.Grpc;

/// <summary>gRPC's framing by hand: a flag, four bytes big-endian length, the message.</summary>
internal static class GrpcFrames
{
    public const int PrefixBytes = 5;

    public static byte[] Frame(ReadOnlySpan<byte> message, byte flag = 0)
    {
        var frame = new byte[PrefixBytes + message.Length];
        frame[0] = flag;
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(1), message.Length);
        message.CopyTo(frame.AsSpan(PrefixBytes));
        return frame;
    }

    /// <summary>Reads a body as the gRPC library does: what there is of a message is examined until all of it is there, and no more than
    /// one is taken at once.</summary>
    /// <returns>The messages, and why there are no more; null at the end.</returns>
    public static async Task<(List<byte[]> Messages, RpcException? Failure)> ReadAllAsync(PipeReader body)
    {
        var messages = new List<byte[]>();
        try
        {
            while (true)
            {
                var result = await body.ReadAsync();
                var buffer = result.Buffer;
                if (TryTake(ref buffer) is { } message)
                {
                    messages.Add(message);
                    body.AdvanceTo(buffer.Start);
                    continue;
                }
                body.AdvanceTo(buffer.Start, buffer.End);
                if (result.IsCompleted) return (messages, null);
            }
        }
        catch (RpcException e)
        {
            return (messages, e);
        }
    }

    private static byte[]? TryTake(ref ReadOnlySequence<byte> buffer)
    {
        if (buffer.Length < PrefixBytes) return null;
        var length = BinaryPrimitives.ReadInt32BigEndian(buffer.Slice(1, 4).ToArray());
        if (buffer.Length < PrefixBytes + length) return null;
        var message = buffer.Slice(PrefixBytes, length).ToArray();
        buffer = buffer.Slice(PrefixBytes + length);
        return message;
    }
}
