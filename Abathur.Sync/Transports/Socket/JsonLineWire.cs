using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports.Socket;

/// <summary>Session messages as ProtoJSON, one object a line.</summary>
internal sealed class JsonLineWire(PipeReader input, PipeWriter output) : ISessionWire
{

    public async ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellation)
    {
        while (true)
        {
            if (await JsonLine.ReadAsync(input, cancellation) is not { } line) return null;
            if (line.Trim().Length > 0) return JsonLine.Parse(line);
        }
    }

    public void Write(ServerMessage message) => JsonLine.Write(output, message);

    public int WriteFrame(EncodedFrame frame, in Missed missed)
    {
        var before = output.UnflushedBytes;
        frame.WriteJsonLine(output, missed);
        return (int)(output.UnflushedBytes - before);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> FlushAsync(CancellationToken cancellation) => !(await output.FlushAsync(cancellation)).IsCompleted;
}
