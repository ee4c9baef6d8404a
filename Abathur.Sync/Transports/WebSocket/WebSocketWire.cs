using System.Buffers;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports.Framing;
using Abathur.Sync.Transports.Socket;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>Session messages as WebSocket messages: text is ProtoJSON, binary is protobuf.</summary>
/// <remarks>
/// Messages are collected in one pooled buffer and sent by the flush in order, each in one frame and one write. The first is sent from
/// the memory that all subscribers share, if it is a frame or the match. Not thread-safe, except that one task may read while another
/// writes.
/// </remarks>
internal sealed class WebSocketWire(WebSocketConnection connection) : ISessionWire, IDisposable
{
    private readonly List<int> _ends = [];
    private SharedBuffer? _output;
    private SharedBuffer? _shared;
    private bool _isMatch;

    /// <summary>The close status for unreadable input; null if all input was readable.</summary>
    public WebSocketCloseStatus? InputFailure { get; private set; }

    /// <summary>The form of the first message, which all answers have; null before it.</summary>
    public WebSocketMessageType? Form { get; private set; }

    /// <summary>Called at the end of the input: the peer has closed or disconnected, or its input is unreadable.</summary>
    public Action? InputEnded { get; set; }

    private SharedBuffer Output => _output ??= SharedBuffer.Rent();

    public async ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellationToken)
    {
        var input = await connection.ReceiveAsync(cancellationToken);
        if (input.Kind is not (WebSocketInputKind.Closed or WebSocketInputKind.Lost)) Form ??= input.Type;
        switch (input.Kind)
        {
            case WebSocketInputKind.Message:
                return Parse(input);
            case WebSocketInputKind.TooLong:
                throw Failure(WebSocketCloseStatus.MessageTooBig, $"a message is longer than {connection.MaxMessageBytes} bytes");
            case WebSocketInputKind.NoRoom:
                throw Failure(WebSocketCloseStatus.PolicyViolation, IncompleteMessages.NoRoom);
            case WebSocketInputKind.NotUtf8:
                throw Failure(WebSocketCloseStatus.InvalidPayloadData, "the message is not UTF-8 text");
            default:
                InputEnded?.Invoke();
                return null;
        }
    }

    public void Write(ServerMessage message)
    {
        // Before the first message the form is unknown; text is readable for people.
        if (Form == WebSocketMessageType.Binary) message.WriteTo((IBufferWriter<byte>)Output);
        else JsonLine.WriteText(Output, message);
        _ends.Add(Output.Span.Length);
    }

    public ValueTask WriteMatchAsync(Match match, CancellationToken cancellationToken)
    {
        Write(Form == WebSocketMessageType.Binary ? MatchMessages.LengthPrefixed(match) : MatchMessages.Line(match));
        _isMatch = _shared is not null;
        return default;
    }

    public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped) =>
        Write(frame.RentMessage(Form == WebSocketMessageType.Text ? JsonFraming.Line : ProtoFraming.LengthPrefixed, dropped));

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> FlushAsync(CancellationToken cancellationToken)
    {
        var isThere = true;
        var type = Form ?? WebSocketMessageType.Text;
        if (_shared is not null)
            isThere = await (_isMatch ? connection.SendInPartsAsync(Content(_shared), type) : connection.SendAsync(Content(_shared), type));
        _isMatch = false;
        var start = 0;
        foreach (var end in _ends)
        {
            isThere = isThere && await connection.SendAsync(_output!.Memory[start..end], type);
            start = end;
        }
        // Return the buffer to the pool: an idle connection holds no memory.
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

    /// <summary>Appends a message of the socket transport, and takes over the reference to it. Returns its bytes.</summary>
    private int Write(SharedBuffer message)
    {
        var content = Content(message);
        if (_shared is null && _output is null)
        {
            _shared = message;
            return content.Length;
        }
        Output.Write(content.Span);
        _ends.Add(Output.Span.Length);
        message.Release();
        return content.Length;
    }

    /// <summary>Without the line feed or the length prefix of the socket transport.</summary>
    private ReadOnlyMemory<byte> Content(SharedBuffer message) =>
        Form == WebSocketMessageType.Binary ? message.Memory[ProtoFraming.PrefixBytes..] : message.Memory[..^1];

    private ClientMessage Parse(in WebSocketInput input)
    {
        try
        {
            return input.Type == WebSocketMessageType.Text
                ? JsonLine.Parse(input.Bytes.Span)
                : ClientMessage.Parser.ParseFrom(input.Bytes.Span);
        }
        catch (Exception e) when (e is RefusedException or InvalidProtocolBufferException)
        {
            throw Failure(WebSocketCloseStatus.InvalidPayloadData, e is RefusedException ? e.Message : $"not a ClientMessage: {e.Message}");
        }
    }

    private RefusedException Failure(WebSocketCloseStatus status, string message)
    {
        InputFailure = status;
        InputEnded?.Invoke();
        return new RefusedException(RequestStatus.InvalidArgument, message);
    }
}
