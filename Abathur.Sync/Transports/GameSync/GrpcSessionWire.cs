using System.Runtime.CompilerServices;
using Abathur.Grpc;
using Abathur.Sync.Frames;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports.Framing;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Transports.GameSync;

/// <summary>Session messages as gRPC messages.</summary>
internal sealed class GrpcSessionWire(GrpcCall call) : ISessionWire
{
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellation)
    {
        try
        {
            return await call.ReadAsync(ClientMessage.Parser, cancellation);
        }
        catch (GrpcException e)
        {
            throw new RequestException((RequestStatus)e.StatusCode, e.Message);
        }
    }

    public void Write(ServerMessage message)
    {
        GrpcCall.WritePrefix(call.BodyWriter, (uint)message.CalculateSize());
        message.WriteTo(call.BodyWriter);
    }

    public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
    {
        var frameBytes = ProtoFraming.MeasureFrame(frame, dropped);
        var messageBytes = ProtoFraming.MeasureServerMessage(frameBytes);
        GrpcCall.WritePrefix(call.BodyWriter, (uint)messageBytes);
        ProtoFraming.WriteServerMessage(call.BodyWriter, frame, dropped, frameBytes);
        return GrpcCall.PrefixBytes + messageBytes;
    }

    public ValueTask<bool> FlushAsync(CancellationToken cancellation) => call.FlushAsync(cancellation);
}
