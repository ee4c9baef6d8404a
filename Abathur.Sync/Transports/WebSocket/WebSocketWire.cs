using System.Buffers;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using Abathur.Grpc;
using Abathur.Sync.Frames;
using Abathur.Sync.Transports.Socket;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>Session messages as WebSocket messages: text is ProtoJSON, binary is protobuf.</summary>
/// <remarks>
/// What is written gathers in one pooled buffer and goes out with the flush, one message after the other, each in one
/// frame and one write. A frame that is alone goes out of the memory that all subscribers share. Not thread-safe but for
/// one task that reads and one that writes.
/// </remarks>
internal sealed class WebSocketWire(WebSocketConnection connection) : ISessionWire, IDisposable
{
    private readonly List<int> _ends = [];
    private SharedBuffer? _output;
    private SharedBuffer? _shared;

    /// <summary>The close status for input that could not be read; null while there was none.</summary>
    public WebSocketCloseStatus? InputFailure { get; private set; }

    /// <summary>The form of the first message, which is that of all answers; null before it.</summary>
    public WebSocketMessageType? Form { get; private set; }

    /// <summary>Called when nothing more will be read: the peer has closed, is gone, or sent what cannot be read.</summary>
    public Action? InputEnded { get; set; }

    private SharedBuffer Output => _output ??= SharedBuffer.Rent();

    /// <summary>The message in <see cref="_shared"/>, which the socket sends with a line's end behind it, or its length in front.</summary>
    private ReadOnlyMemory<byte> SharedMessage => Form == WebSocketMessageType.Text ? _shared!.Memory[..^1] : _shared!.Memory[EncodedFrame.PrefixBytes..];

    public async ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellation)
    {
        var input = await connection.ReceiveAsync(cancellation);
        if (input.Kind is not (WebSocketInputKind.Closed or WebSocketInputKind.Lost)) Form ??= input.Type;
        switch (input.Kind)
        {
            case WebSocketInputKind.Message:
                return Parse(input);
            case WebSocketInputKind.TooLong:
                throw Failure(WebSocketCloseStatus.MessageTooBig, $"a message is longer than {connection.MaxMessageBytes} bytes");
            case WebSocketInputKind.NotUtf8:
                throw Failure(WebSocketCloseStatus.InvalidPayloadData, "the message is not UTF-8 text");
            default:
                InputEnded?.Invoke();
                return null;
        }
    }

    public void Write(ServerMessage message)
    {
        Gather();
        // Before the first message nobody knows better, and text can be read by a person.
        if (Form == WebSocketMessageType.Binary) message.WriteTo((IBufferWriter<byte>)Output);
        else JsonLine.WriteText(Output, message);
        _ends.Add(Output.Span.Length);
    }

    public int WriteFrame(EncodedFrame frame, in DroppedFrames missed)
    {
        Gather();
        _shared = Form == WebSocketMessageType.Text ? frame.RentJsonLine(missed) : frame.RentPrefixedMessage(missed);
        var bytes = SharedMessage.Length;
        if (_output is not null) Gather();
        return bytes;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> FlushAsync(CancellationToken cancellation)
    {
        var isThere = true;
        if (_shared is not null) isThere = await connection.SendAsync(SharedMessage, Form ?? WebSocketMessageType.Text);
        var start = 0;
        foreach (var end in _ends)
        {
            isThere = isThere && await connection.SendAsync(_output!.Memory[start..end], Form ?? WebSocketMessageType.Text);
            start = end;
        }
        // The pool keeps it warm; an idle connection holds nothing.
        Dispose();
        return isThere;
    }

    public void Dispose()
    {
        _ends.Clear();
        _output?.Release();
        _shared?.Release();
        _output = _shared = null;
    }

    /// <summary>A frame that has another message before or behind it is one of several.</summary>
    private void Gather()
    {
        if (_shared is null) return;
        Output.Write(SharedMessage.Span);
        _ends.Add(Output.Span.Length);
        _shared.Release();
        _shared = null;
    }

    private ClientMessage Parse(in WebSocketInput input)
    {
        try
        {
            return input.Type == WebSocketMessageType.Text
                ? JsonLine.Parse(System.Text.Encoding.UTF8.GetString(input.Bytes.Span))
                : ClientMessage.Parser.ParseFrom(input.Bytes.Span);
        }
        catch (Exception e) when (e is GrpcException or InvalidProtocolBufferException)
        {
            throw Failure(WebSocketCloseStatus.InvalidPayloadData, e is GrpcException ? e.Message : $"not a ClientMessage: {e.Message}");
        }
    }

    private GrpcException Failure(WebSocketCloseStatus status, string message)
    {
        InputFailure = status;
        InputEnded?.Invoke();
        return new GrpcException(GrpcStatusCode.InvalidArgument, message);
    }
}
