using Abathur.Grpc;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Transports.GameSync;

/// <summary>Session messages as gRPC messages.</summary>
internal sealed class GrpcSessionWire(GrpcCall call) : ISessionWire
{
    public ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellation) => call.ReadAsync(ClientMessage.Parser, cancellation);

    public void Write(ServerMessage message)
    {
        GrpcCall.WritePrefix(call.BodyWriter, (uint)message.CalculateSize());
        message.WriteTo(call.BodyWriter);
    }

    public int WriteFrame(EncodedFrame frame, in DroppedFrames missed)
    {
        var frameBytes = frame.MeasureFrame(missed);
        var messageBytes = ServerMessageFrame.Measure(frameBytes);
        GrpcCall.WritePrefix(call.BodyWriter, (uint)messageBytes);
        ServerMessageFrame.Write(call.BodyWriter, frame, missed, frameBytes);
        return GrpcCall.PrefixBytes + messageBytes;
    }

    public ValueTask<bool> FlushAsync(CancellationToken cancellation) => call.FlushAsync(cancellation);
}
