using System.Buffers;

namespace Abathur.Sync.Encodings;

/// <summary>Encoding <c>proto</c> under a field mask.</summary>
internal sealed class ProjectionEncoder(WireProjection projection) : IFrameEncoder
{
    public void Encode(ReadOnlySpan<byte> observation, IBufferWriter<byte> payload) => projection.Project(observation, payload);
}
