using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports.Framing;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>Frames as gRPC messages, and nothing else.</summary>
internal sealed class GrpcFrameOutput(GrpcOutput output) : IFrameOutput
{
    public bool WritePending() => false;

    public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
    {
        var bytes = ProtoFraming.MeasureFrame(frame, dropped);
        output.WritePrefix(bytes);
        ProtoFraming.WriteFrame(output.Body, frame, dropped);
        return GrpcOutput.PrefixBytes + bytes;
    }

    public ValueTask<bool> FlushAsync(CancellationToken cancellation) => output.FlushAsync(cancellation);
}
