using Abathur.Sync.Frames;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>
/// One connection's framing: messages in, messages and frames out. Reading and writing happen on two tasks; writes
/// are buffered until <see cref="FlushAsync"/>.
/// </summary>
internal interface ISessionWire
{
    /// <summary>The next message, or null at the end of the input. Throws <see cref="RefusedException"/> for an invalid message.</summary>
    ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellationToken);

    void Write(ServerMessage message);

    /// <summary>Writes the match, from memory that all subscribers share; in parts where the client holds memory for what it does not
    /// read.</summary>
    ValueTask WriteMatchAsync(Match match, CancellationToken cancellationToken);

    /// <inheritdoc cref="Hub.IFrameOutput.WriteFrame"/>
    int WriteFrame(EncodedFrame frame, in DroppedFrames dropped);

    /// <inheritdoc cref="Hub.IFrameOutput.FlushAsync"/>
    ValueTask<bool> FlushAsync(CancellationToken cancellationToken);
}
