using Abathur.Protobuf.FieldMasks;
using Abathur.Sync.Encodings;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Hub;

/// <summary>What makes two subscriptions the same stream.</summary>
/// <param name="Format">Payload form.</param>
/// <param name="CompressionLevel">Level of its compression; 0 without one.</param>
/// <param name="FieldMask">Canonical text of the mask; empty: everything.</param>
/// <param name="EveryGameLoops">Downsampling.</param>
internal sealed record StreamKey(PayloadFormat Format, int CompressionLevel, string FieldMask, uint EveryGameLoops)
{
    public static StreamKey For(SubscriptionOptions options) =>
        new(options.Format, options.CompressionLevel, WireProjection.Canonical(options.FieldMask), options.EveryGameLoops);

    /// <summary>Whether the observation does not go out as it came.</summary>
    public bool NeedsEncoder => !Format.IsObservation || FieldMask.Length > 0;

    /// <summary>Whether its compression is known to be slow.</summary>
    public bool IsSlow => Format.Compression.Kind() is { } kind && CompressionLevel >= kind.SlowLevel;

    /// <summary>The encoder of the stream; null where the observation goes out as it came.</summary>
    public IFrameEncoder? CreateEncoder()
    {
        string[] mask = FieldMask.Length == 0 ? [] : FieldMask.Split(',');
        IFrameEncoder? encoder = Format.Encoding switch
        {
            Encoding.Proto => mask.Length == 0 ? null : new ProjectionEncoder(WireProjection.For(ResponseObservation.Descriptor, mask)),
            Encoding.Json => new JsonEncoder(mask),
            Encoding.Columns => new ColumnsFrameEncoder(mask.Length == 0 ? null : WireProjection.For(ResponseObservation.Descriptor, mask)),
            _ => throw new ArgumentOutOfRangeException(nameof(Format), Format, "no such encoder"),
        };
        if (Format.Compression.StreamKind() is { } stream)
        {
            return new StreamCompressingEncoder(encoder, new PayloadFormat(Format.Encoding).HasKeyframes, stream.Create(CompressionLevel));
        }
        return Format.Compression.PayloadKind() is { } compression ? new CompressingEncoder(encoder, compression.Create(CompressionLevel)) : encoder;
    }
}
