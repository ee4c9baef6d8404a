using Abathur.Protobuf.FieldMasks;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Frames.Encodings;

/// <summary>Creates encoders for formats.</summary>
internal static class FrameEncoders
{
    /// <summary>An encoder; null if the observation is sent unchanged.</summary>
    /// <param name="format">The format of payloads.</param>
    /// <param name="compressionLevel">Level of the compression; not used without one.</param>
    /// <param name="fieldMask">Comma-separated paths of the fields to keep; empty: all.</param>
    public static IFrameEncoder? Create(PayloadFormat format, int compressionLevel, string fieldMask)
    {
        string[] mask = fieldMask.Length == 0 ? [] : fieldMask.Split(',');
        IFrameEncoder? encoder = format.Encoding switch
        {
            Encoding.Proto => mask.Length == 0 ? null : new ProjectionEncoder(WireProjection.For(ResponseObservation.Descriptor, mask)),
            Encoding.Json => new JsonEncoder(mask),
            Encoding.Columns => new ColumnsFrameEncoder(mask.Length == 0 ? null : WireProjection.For(ResponseObservation.Descriptor, mask)),
            _ => throw new ArgumentOutOfRangeException(nameof(format), format, "no such encoder"),
        };
        return Compress(encoder, format, compressionLevel);
    }

    /// <summary>Compresses the payloads of an encoder; without compression, the encoder itself.</summary>
    /// <param name="encoder">The encoder; null: the observation unchanged.</param>
    /// <param name="format">The format of payloads.</param>
    /// <param name="compressionLevel">Level of the compression; not used without one.</param>
    public static IFrameEncoder? Compress(IFrameEncoder? encoder, PayloadFormat format, int compressionLevel)
    {
        if (format.Compression.StreamKind() is { } stream)
        {
            return new StreamCompressingEncoder(encoder, new PayloadFormat(format.Encoding).HasKeyframes, stream.Create(compressionLevel));
        }
        return format.Compression.PayloadKind() is { } compression
            ? new CompressingEncoder(encoder, compression.Create(compressionLevel))
            : encoder;
    }
}
