using Abathur.Sync.Encodings;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Hub;

/// <summary>What makes two subscriptions the same stream.</summary>
/// <param name="Encoding">Payload form.</param>
/// <param name="FieldMask">Canonical text of the mask; empty: everything.</param>
/// <param name="EveryGameLoops">Thinning.</param>
internal sealed record StreamKey(Encoding Encoding, string FieldMask, uint EveryGameLoops)
{
    public static StreamKey For(SubscriptionOptions options) =>
        new(options.Encoding, WireProjection.Canonical(options.FieldMask), options.EveryGameLoops);

    /// <summary>The encoder of the stream; null where the observation goes out as it came.</summary>
    public IFrameEncoder? CreateEncoder()
    {
        string[] mask = FieldMask.Length == 0 ? [] : FieldMask.Split(',');
        return Encoding switch
        {
            Encoding.Proto => mask.Length == 0 ? null : new ProjectionEncoder(WireProjection.For(ResponseObservation.Descriptor, mask)),
            Encoding.Json => new JsonEncoder(mask),
            _ => throw new ArgumentOutOfRangeException(nameof(Encoding), Encoding, "no such encoder"),
        };
    }
}
