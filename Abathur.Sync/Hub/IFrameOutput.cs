using Abathur.Sync.Frames;

namespace Abathur.Sync.Hub;

/// <summary>The connection of a subscription. One task writes; writes are buffered until <see cref="FlushAsync"/>.</summary>
public interface IFrameOutput
{
    /// <summary>Writes messages that precede the next frame, such as answers. False if there are none.</summary>
    bool WritePending();

    /// <summary>Writes a frame and returns its size in bytes.</summary>
    int WriteFrame(EncodedFrame frame, in DroppedFrames dropped);

    /// <summary>Passes the buffered messages to the operating system; waits until it accepts them. False if the reader has
    /// disconnected.</summary>
    ValueTask<bool> FlushAsync(CancellationToken cancellationToken);
}
