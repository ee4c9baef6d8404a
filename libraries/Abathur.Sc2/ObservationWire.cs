using Abathur.Protobuf.Wire;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sc2;

/// <summary>Reads single values from a serialized <c>SC2APIProtocol.ResponseObservation</c> without parsing the message.</summary>
/// <remarks>
/// Reads the tags of the message and of <c>observation</c>, and skips everything else by its length; no allocation. As in protobuf,
/// fields may be in any order, the last value of a scalar counts, and several <c>observation</c> fields are merged.
/// </remarks>
public static class ObservationWire
{
    /// <summary>The game loop (<c>observation.game_loop</c>); 0 if it is not set.</summary>
    /// <exception cref="InvalidDataException">This is not a serialized message; the message has the byte offset.</exception>
    public static uint ReadGameLoop(ReadOnlySpan<byte> responseObservation) => ReadGameLoopAndEnd(responseObservation).GameLoop;

    /// <summary>The game loop, and whether the observation has the results of the match (<c>player_result</c>).</summary>
    /// <exception cref="InvalidDataException">This is not a serialized message; the message has the byte offset.</exception>
    public static (uint GameLoop, bool HasResults) ReadGameLoopAndEnd(ReadOnlySpan<byte> responseObservation)
    {
        var gameLoop = 0u;
        var hasResults = false;
        var reader = new WireReader(responseObservation);
        while (reader.ReadTag())
        {
            if (reader.FieldNumber == ResponseObservation.ObservationFieldNumber && reader.WireType == WireFormat.WireType.LengthDelimited)
            {
                ReadInObservation(reader.ReadBytes(), ref gameLoop);
            }
            else
            {
                hasResults |= reader.FieldNumber == ResponseObservation.PlayerResultFieldNumber;
                reader.SkipValue();
            }
        }
        return (gameLoop, hasResults);
    }

    /// <summary>The game loop; false if this is not a serialized message.</summary>
    public static bool TryReadGameLoop(ReadOnlySpan<byte> responseObservation, out uint gameLoop)
    {
        try
        {
            gameLoop = ReadGameLoop(responseObservation);
            return true;
        }
        catch (InvalidDataException)
        {
            gameLoop = 0;
            return false;
        }
    }

    private static void ReadInObservation(ReadOnlySpan<byte> observation, ref uint gameLoop)
    {
        var reader = new WireReader(observation);
        while (reader.ReadTag())
        {
            if (reader.FieldNumber == Observation.GameLoopFieldNumber && reader.WireType == WireFormat.WireType.Varint)
            {
                gameLoop = (uint)reader.ReadVarint();
            }
            else
            {
                reader.SkipValue();
            }
        }
    }
}
