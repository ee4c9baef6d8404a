using System.Buffers;
using System.IO.Pipelines;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Abathur.Sync.Requests;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.V1;
using Encoding = Abathur.Sync.V1.Encoding;

namespace Abathur.Sync.Transports.Socket;

/// <summary>Reads the messages of a publishing bot from a socket: lines of JSON, or length-prefixed protobuf.</summary>
internal sealed class PublishInput(PipeReader input, Encoding encoding, Publication publication)
{
    private static readonly ProtoJsonTranscoder Json = ProtoJsonTranscoder.For(PublishRequest.Descriptor);
    private readonly ArrayBufferWriter<byte> _message = new();

    /// <summary>Reads messages until the bot has sent the last one. If the input ends before it, the publication is not finished when this
    /// returns.</summary>
    /// <exception cref="RefusedException">A message is not a <c>PublishRequest</c>, or too long.</exception>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            var result = await input.ReadAsync(cancellationToken);
            var rest = result.Buffer;
            try
            {
                while (!publication.IsFinished && TryTake(ref rest, out var message)) await publication.AddAsync(message);
            }
            finally
            {
                // Also after an invalid message: the connection continues to read until it is closed.
                input.AdvanceTo(rest.Start, rest.End);
            }
            if (publication.IsFinished) return;
            if (result.IsCompleted && !rest.IsEmpty) throw Invalid("the connection ended inside a message");
            if (result.IsCompleted) return;
        }
    }

    private bool TryTake(ref ReadOnlySequence<byte> rest, out ReadOnlySequence<byte> message) =>
        encoding == Encoding.Proto ? TryTakePrefixed(ref rest, out message) : TryTakeLine(ref rest, out message);

    private static bool TryTakePrefixed(ref ReadOnlySequence<byte> rest, out ReadOnlySequence<byte> message)
    {
        if (!LengthPrefixedWire.TrySlice(rest, Publication.MaxMessageBytes, out message)) return false;
        rest = rest.Slice(message.End);
        return true;
    }

    private bool TryTakeLine(ref ReadOnlySequence<byte> rest, out ReadOnlySequence<byte> message)
    {
        message = default;
        while (rest.PositionOf((byte)'\n') is { } end)
        {
            var text = rest.Slice(0, end);
            var line = text.IsSingleSegment ? text.FirstSpan : text.ToArray();
            rest = rest.Slice(rest.GetPosition(1, end));
            // Blank lines are skipped, as in a subscribed session.
            if (line.Trim(" \t\r"u8).IsEmpty) continue;
            _message.ResetWrittenCount();
            try
            {
                Json.ToProto(line, _message);
            }
            catch (ProtoJsonException e)
            {
                throw Invalid($"not a PublishRequest: {e.Message}");
            }
            message = new ReadOnlySequence<byte>(_message.WrittenMemory);
            return true;
        }
        if (rest.Length > Publication.MaxMessageBytes) throw Invalid($"a line is longer than {Publication.MaxMessageBytes} bytes");
        return false;
    }

    private static RefusedException Invalid(string message) => new(RequestStatus.InvalidArgument, message);
}
