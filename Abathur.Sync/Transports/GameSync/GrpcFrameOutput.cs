using Abathur.Grpc;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports.Framing;

namespace Abathur.Sync.Transports.GameSync;

/// <summary>Frames as gRPC messages, and nothing else.</summary>
internal sealed class GrpcFrameOutput(GrpcCall call) : IFrameOutput
{
    public bool WritePending() => false;

    public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
    {
        var bytes = ProtoFraming.MeasureFrame(frame, dropped);
        GrpcCall.WritePrefix(call.BodyWriter, (uint)bytes);
        ProtoFraming.WriteFrame(call.BodyWriter, frame, dropped);
        return GrpcCall.PrefixBytes + bytes;
    }

    public ValueTask<bool> FlushAsync(CancellationToken cancellation) => call.FlushAsync(cancellation);
}
