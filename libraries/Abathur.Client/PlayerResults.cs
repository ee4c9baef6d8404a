using Abathur.Protobuf.Wire;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>Reads the results of a match from a serialized observation; allocates nothing where there are none.</summary>
internal static class PlayerResults
{
    /// <summary>The results in a <c>ResponseObservation</c>.</summary>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public static IReadOnlyList<PlayerResult> Read(ReadOnlySpan<byte> response)
    {
        List<PlayerResult>? results = null;
        try
        {
            var reader = new WireReader(response);
            while (reader.ReadTag())
            {
                if (reader.FieldNumber == ResponseObservation.PlayerResultFieldNumber
                    && reader.WireType == Google.Protobuf.WireFormat.WireType.LengthDelimited)
                {
                    (results ??= []).Add(ServerText.Parse<PlayerResult>(reader.ReadBytes()));
                }
                else
                {
                    reader.SkipValue();
                }
            }
        }
        catch (InvalidDataException e)
        {
            throw new ProtocolException($"the observation cannot be parsed: {e.Message}", e);
        }
        return results is null ? [] : results;
    }
}
