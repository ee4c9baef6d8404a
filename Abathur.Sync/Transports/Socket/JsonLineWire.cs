using System.IO.Pipelines;
using Abathur.Sync.Frames;
using Abathur.Sync.Transports.Framing;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports.Socket;

/// <summary>Session messages as ProtoJSON, one object a line.</summary>
internal sealed class JsonLineWire(PipeReader input, SocketOutput output) : ISessionWire
{
    public ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellationToken) => JsonLine.ReadAsync(input, cancellationToken);

    public void Write(ServerMessage message) => JsonLine.Write(output.Writer, message);

    public ValueTask WriteMatchAsync(Match match, CancellationToken cancellationToken)
    {
        output.Write(MatchMessages.Line(match));
        return default;
    }

    public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
    {
        var line = frame.RentMessage(JsonFraming.Line, dropped);
        var bytes = line.Span.Length;
        output.Write(line);
        return bytes;
    }

    public ValueTask<bool> FlushAsync(CancellationToken cancellationToken) => output.FlushAsync(cancellationToken);
}
