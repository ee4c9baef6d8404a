using System.Buffers;
using Abathur.Protobuf.FieldMasks;

namespace Abathur.Sync.Frames.Encodings;

/// <summary>Encoding <c>proto</c> under a field mask.</summary>
internal sealed class ProjectionEncoder(WireProjection projection) : IFrameEncoder
{
    public EncodedPayload Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe, IBufferWriter<byte> payload)
    {
        projection.Project(observation, payload);
        return EncodedPayload.Keyframe;
    }
}
