using System.Buffers;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports.Framing;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>Frames as gRPC messages, and nothing else. The first one names the run of the match.</summary>
/// <param name="output">The connection.</param>
/// <param name="runId">The run, known with the first frame.</param>
internal sealed class GrpcFrameOutput(GrpcOutput output, Func<string> runId) : IFrameOutput
{
    private bool _hasNamed;

    public bool WritePending() => false;

    public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
    {
        // Fields of a message may stand in any order: the frame is as all readers share it.
        var name = _hasNamed ? [] : new Frame { RunId = runId() }.ToByteArray();
        _hasNamed = true;
        var bytes = ProtoFraming.MeasureFrame(frame, dropped) + name.Length;
        output.WritePrefix(bytes);
        output.Body.Write(name);
        ProtoFraming.WriteFrame(output.Body, frame, dropped);
        return GrpcOutput.PrefixBytes + bytes;
    }

    public ValueTask<bool> FlushAsync(CancellationToken cancellationToken) => output.FlushAsync(cancellationToken);
}
