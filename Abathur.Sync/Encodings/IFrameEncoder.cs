using System.Buffers;

namespace Abathur.Sync.Encodings;

/// <summary>
/// Turns observations into the payload of one stream. Called from one task at a time, frame after frame, so that payloads may depend on those
/// before. Who reads the stream has every payload since the last keyframe, in order, and nothing of what was before it.
/// </summary>
/// <remarks>
/// Keyframes are decided once for a chain of encoders: the outer one passes the demand on, and starts again itself where the inner one
/// has made a keyframe. An encoder of which <see cref="Frames.PayloadFormat.HasKeyframes"/> is false makes nothing else.
/// </remarks>
public interface IFrameEncoder
{
    /// <summary>
    /// Writes the payload for one <c>ResponseObservation</c> in protobuf. Throws <see cref="InvalidDataException"/> where it cannot be encoded;
    /// the next call then demands a keyframe.
    /// </summary>
    /// <param name="observation">The message; not kept.</param>
    /// <param name="mustBeKeyframe">Whether this payload has to be a keyframe. The first one is demanded to be. An encoder may make more.</param>
    /// <param name="payload">Empty.</param>
    EncodedPayload Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe, IBufferWriter<byte> payload);
}
