namespace Abathur.Sync.Frames;

/// <summary>How a transport writes a frame as one message. The message is created once and shared by all subscribers without dropped frames
/// before it.</summary>
public interface IFrameFraming
{
    /// <summary>A message with the frame, whose reference is the caller's.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="dropped">Frames dropped before it.</param>
    SharedBuffer Write(EncodedFrame frame, in DroppedFrames dropped);
}
