using Abathur.Sync.Frames;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>
/// One connection's framing: messages in, messages and frames out. Reading and writing happen on two tasks; writes
/// gather until <see cref="FlushAsync"/>.
/// </summary>
internal interface ISessionWire
{
    /// <summary>The next message, or null when the client has said all it will. Throws <see cref="Grpc.GrpcException"/> for what is not one.</summary>
    ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellation);

    void Write(ServerMessage message);

    /// <summary>Writes a frame and returns its size in bytes.</summary>
    int WriteFrame(EncodedFrame frame, in DroppedFrames missed);

    /// <summary>Hands what was written to the operating system; waits while the client does not take it. False when it is gone.</summary>
    ValueTask<bool> FlushAsync(CancellationToken cancellation);
}
