using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Buffers;
using Abathur.Protobuf.Wire;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Client;

/// <summary>The frames of one connection, into one frame object.</summary>
internal sealed class FrameStream(DaemonConnection connection, SubscribeOptions options, Frame frame)
{
    private readonly ArrayBufferWriter<byte> _fromJson = new();
    private readonly SkippedFrames _skipped = new(options.EveryGameLoops);
    private FrameMessage _message = new();
    private bool _hasFrame;

    /// <summary>Reads the next frame; false at the end of the match, or when the daemon is shutting down.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    /// <exception cref="RequestException">The daemon ends the subscription.</exception>
    /// <exception cref="ProtocolException">The daemon sent something else.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> NextAsync(CancellationToken cancellation)
    {
        while (true)
        {
            ReadOnlyMemory<byte> bytes;
            try
            {
                bytes = await connection.NextAsync(cancellation);
            }
            catch (DaemonStoppingException)
            {
                return false;
            }
            var received = Stopwatch.GetTimestamp();
            switch (Read(bytes))
            {
                case ServerMessage.MessageOneofCase.Frame:
                    if (connection.HasGap) _skipped.Lose();
                    if (connection.Use != FrameUse.Give)
                    {
                        frame.Content.Read(_message);
                        if (connection.Use == FrameUse.Skip) _skipped.Add(frame.Content, _message.GameLoop);
                        break;
                    }
                    // The second frame comes while the first one is decoded: code is used for the first time there, which takes longer.
                    if (!_hasFrame && options.HasOwnCredit) await AcknowledgeAsync(cancellation);
                    _hasFrame = true;
                    frame.Read(_message, ToNanoseconds(received), bytes.Length);
                    _skipped.Complete(frame);
                    return true;
                case ServerMessage.MessageOneofCase.End: return false;
            }
        }
    }

    /// <summary>Says that the frame is done, where the subscription needs it.</summary>
    public async ValueTask AcknowledgeAsync(CancellationToken cancellation)
    {
        if (!options.Acknowledges) return;
        try
        {
            await connection.AcknowledgeAsync(_message.Sequence, cancellation);
        }
        catch (BrokenConnectionException)
        {
            // A connection that broke meanwhile is noticed when the next frame is read, after the frames that have arrived.
        }
    }

    private ServerMessage.MessageOneofCase Read(ReadOnlyMemory<byte> bytes)
    {
        if (connection.IsJson)
        {
            _fromJson.ResetWrittenCount();
            ServerText.ToProto(bytes.Span, _fromJson);
            bytes = _fromJson.WrittenMemory;
        }
        var (kind, body) = Split(bytes);
        switch (kind)
        {
            case ServerMessage.MessageOneofCase.Frame:
                _message.Read(body);
                break;
            case ServerMessage.MessageOneofCase.Error:
                var error = ServerText.Parse<Error>(body.Span);
                if (!error.Fatal) break;
                if (error.Code == DaemonStoppingException.Code) return ServerMessage.MessageOneofCase.End;
                throw RequestException.OfSubscription(error.Code, error.Message);
            case ServerMessage.MessageOneofCase.None or ServerMessage.MessageOneofCase.Match or ServerMessage.MessageOneofCase.Published:
                throw new ProtocolException($"unexpected message {kind} in a subscription");
        }
        return kind;
    }

    /// <summary>The last message in a <c>ServerMessage</c>, as protobuf reads a oneof.</summary>
    private static (ServerMessage.MessageOneofCase Kind, ReadOnlyMemory<byte> Body) Split(ReadOnlyMemory<byte> message)
    {
        var found = (ServerMessage.MessageOneofCase.None, ReadOnlyMemory<byte>.Empty);
        try
        {
            var reader = new WireReader(message.Span);
            while (reader.ReadTag())
            {
                if (reader.WireType == WireFormat.WireType.LengthDelimited)
                    found = ((ServerMessage.MessageOneofCase)reader.FieldNumber, message[reader.ReadRange()]);
                else reader.SkipValue();
            }
            return found;
        }
        catch (InvalidDataException e)
        {
            throw new ProtocolException($"not a ServerMessage: {e.Message}", e);
        }
    }

    private static long ToNanoseconds(long timestamp) => (long)(timestamp * (1e9 / Stopwatch.Frequency));
}
