using System.Buffers;
using Abathur.Columns;
using Abathur.Protobuf.FieldMasks;

namespace Abathur.Sync.Frames.Encodings;

/// <summary>Encoding <c>columns</c>, after the field mask if there is one.</summary>
internal sealed class ColumnsFrameEncoder(WireProjection? projection) : IFrameEncoder
{
    private readonly ColumnsEncoder _encoder = new();
    private int _projectedBytes;

    public EncodedPayload Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe, IBufferWriter<byte> payload)
    {
        if (projection is null) return new EncodedPayload(_encoder.Encode(observation, mustBeKeyframe, payload));
        var projected = SharedBuffer.Rent(_projectedBytes);
        try
        {
            projection.Project(observation, projected);
            _projectedBytes = Math.Max(_projectedBytes, projected.Span.Length);
            return new EncodedPayload(_encoder.Encode(projected.Span, mustBeKeyframe, payload));
        }
        finally
        {
            projected.Release();
        }
    }
}
