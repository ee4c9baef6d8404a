using System.Buffers;
using System.Text;
using Abathur.Sync.Frames;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Encodings;

/// <summary>Encoding <c>json</c>: canonical ProtoJSON in UTF-8, as Google's <see cref="JsonFormatter"/> writes it.</summary>
internal sealed class JsonEncoder(WireProjection? projection) : IFrameEncoder
{
    public void Encode(ReadOnlySpan<byte> observation, IBufferWriter<byte> payload)
    {
        var json = JsonFormatter.Default.Format(Parse(observation));
        payload.Advance(Encoding.UTF8.GetBytes(json, payload.GetSpan(Encoding.UTF8.GetMaxByteCount(json.Length))));
    }

    private ResponseObservation Parse(ReadOnlySpan<byte> observation)
    {
        var projected = projection is null ? null : SharedBuffer.Rent();
        try
        {
            if (projected is not null) projection!.Project(observation, projected);
            return ResponseObservation.Parser.ParseFrom(projected is null ? observation : projected.Span);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new InvalidDataException($"the observation does not parse: {e.Message}", e);
        }
        finally
        {
            projected?.Release();
        }
    }
}
