using System.Buffers;
using Abathur.Protobuf;
using Abathur.Protobuf.FieldMasks;
using Abathur.Protobuf.ProtoJson;
using SC2APIProtocol;

namespace Abathur.Sync.Frames.Encodings;

/// <summary>Encoding <c>json</c>: canonical ProtoJSON in UTF-8, after the field mask if there is one.</summary>
internal sealed class JsonEncoder : IFrameEncoder
{
    private readonly ProtoJsonTranscoder _transcoder;

    /// <param name="fieldMask">Paths of the mask; empty: everything.</param>
    /// <exception cref="FieldMaskException">A path is empty, too long, or names a field that does not exist.</exception>
    public JsonEncoder(IReadOnlyCollection<string> fieldMask) =>
        _transcoder = fieldMask.Count == 0
            ? ProtoJsonTranscoder.For(ResponseObservation.Descriptor)
            : ProtoJsonTranscoder.Create(ResponseObservation.Descriptor, fieldMask);

    public EncodedPayload Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe, IBufferWriter<byte> payload)
    {
        try
        {
            _transcoder.ToJson(observation, payload);
            return EncodedPayload.Keyframe;
        }
        catch (ProtoJsonException e)
        {
            throw new InvalidDataException($"the observation cannot be converted to JSON: {e.Message}", e);
        }
    }
}
