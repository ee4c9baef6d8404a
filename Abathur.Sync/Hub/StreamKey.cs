using Abathur.Protobuf.FieldMasks;
using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;

namespace Abathur.Sync.Hub;

/// <summary>The properties that subscriptions of the same stream share.</summary>
/// <param name="Format">Payload format.</param>
/// <param name="CompressionLevel">Level of its compression; 0 without one.</param>
/// <param name="FieldMask">Canonical text of the mask; empty: everything.</param>
/// <param name="EveryGameLoops">Downsampling.</param>
internal sealed record StreamKey(PayloadFormat Format, int CompressionLevel, string FieldMask, uint EveryGameLoops)
{
    public static StreamKey For(SubscriptionOptions options) =>
        new(options.Format, options.CompressionLevel, WireProjection.Canonical(options.FieldMask), options.EveryGameLoops);

    /// <summary>Whether observations have to be encoded.</summary>
    public bool NeedsEncoder => !Format.IsObservation || FieldMask.Length > 0;

    /// <summary>Whether its compression is known to be slow.</summary>
    public bool IsSlow => Format.Compression.Kind() is { } kind && CompressionLevel >= kind.SlowLevel;

    /// <summary>The encoder of the stream; null if observations are sent unchanged.</summary>
    public IFrameEncoder? CreateEncoder() => FrameEncoders.Create(Format, CompressionLevel, FieldMask);
}
