using Abathur.Sync.Frames;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports.Framing;
using Abathur.Sync.Transports.Socket;
using Abathur.Sync.V1;
using Grpc.Core;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>Session messages as gRPC messages.</summary>
internal sealed class GrpcSessionWire(IAsyncStreamReader<ClientMessage> input, GrpcOutput output) : ISessionWire
{
    public async ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await input.MoveNext(cancellationToken) ? input.Current : null;
        }
        catch (RpcException e)
        {
            throw new RefusedException((RequestStatus)e.StatusCode, e.Status.Detail);
        }
        // The library has found before that the client is gone.
        catch (InvalidOperationException e)
        {
            throw new OperationCanceledException("the client has disconnected", e);
        }
    }

    public void Write(ServerMessage message) => output.Write(message);

    public async ValueTask WriteMatchAsync(Match match, CancellationToken cancellationToken)
    {
        var message = MatchMessages.LengthPrefixed(match);
        try
        {
            await output.WriteInPartsAsync(message.Memory[ProtoFraming.PrefixBytes..], cancellationToken);
        }
        finally
        {
            message.Release();
        }
    }

    public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
    {
        var frameBytes = ProtoFraming.MeasureFrame(frame, dropped);
        var messageBytes = ProtoFraming.MeasureServerMessage(frameBytes);
        output.WritePrefix(messageBytes);
        ProtoFraming.WriteServerMessage(output.Body, frame, dropped, frameBytes);
        return GrpcOutput.PrefixBytes + messageBytes;
    }

    public ValueTask<bool> FlushAsync(CancellationToken cancellationToken) => output.FlushAsync(cancellationToken);
}
