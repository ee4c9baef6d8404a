using System.Buffers;

namespace Abathur.Sync.Frames.Encodings;

/// <summary>An encoder whose payloads exist already: its "observation" is the payload. For another encoder that compresses them.</summary>
internal sealed class GivenPayload : IFrameEncoder
{
    /// <summary>Whether the next payload is a keyframe.</summary>
    public bool IsKeyframe { get; set; }

    public EncodedPayload Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe, IBufferWriter<byte> payload)
    {
        payload.Write(observation);
        return new EncodedPayload(IsKeyframe);
    }
}
