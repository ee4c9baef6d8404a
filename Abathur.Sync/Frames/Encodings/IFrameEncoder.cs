using System.Buffers;

namespace Abathur.Sync.Frames.Encodings;

/// <summary>
/// Encodes the observations of one stream. Called from one task at a time, in the order of frames, so that payloads may depend on those
/// before. A reader has every payload since the last keyframe, in order, and none before it.
/// </summary>
/// <remarks>
/// In a chain of encoders the outer one passes a request for a keyframe to the inner one, and makes a keyframe whenever the inner one
/// does. If <see cref="Frames.PayloadFormat.HasKeyframes"/> is false, every payload is a keyframe.
/// </remarks>
public interface IFrameEncoder
{
    /// <summary>
    /// Writes the payload for one <c>ResponseObservation</c> in protobuf. Throws <see cref="InvalidDataException"/> if it cannot be
    /// encoded; the next call then requires a keyframe.
    /// </summary>
    /// <param name="observation">The message; not kept.</param>
    /// <param name="mustBeKeyframe">Whether this payload has to be a keyframe; true for the first one. An encoder may make additional
    /// keyframes.</param>
    /// <param name="payload">Empty.</param>
    EncodedPayload Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe, IBufferWriter<byte> payload);
}
