using System.IO.Pipelines;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports.Socket;

/// <summary>Session messages as ProtoJSON, one object a line.</summary>
internal sealed class JsonLineWire(PipeReader input, SocketOutput output) : ISessionWire
{
    public async ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellation)
    {
        while (true)
        {
            if (await JsonLine.ReadAsync(input, cancellation) is not { } line) return null;
            if (line.Trim().Length > 0) return JsonLine.Parse(line);
        }
    }

    public void Write(ServerMessage message) => JsonLine.Write(output.Writer, message);

    public int WriteFrame(EncodedFrame frame, in DroppedFrames missed)
    {
        var line = frame.RentJsonLine(missed);
        var bytes = line.Span.Length;
        output.Write(line);
        return bytes;
    }

    public ValueTask<bool> FlushAsync(CancellationToken cancellation) => output.FlushAsync(cancellation);
}
