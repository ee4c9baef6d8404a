using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>Makes frames, with units and events, of serialized observations: of a recording, or of a bot's own connection to the game. Uses
/// its memory again and again, as a subscription does. Not thread-safe.</summary>
public sealed class FrameSequence
{
    private readonly FrameState _frame;

    /// <summary>Begins a sequence.</summary>
    /// <param name="gameData">Says which unit types are structures. Default: the tables that come with the library.</param>
    public FrameSequence(ResponseData? gameData = null) =>
        _frame = new FrameState(new FrameContent(null, new UnitEventTracker(() => StructureTypes.Of(gameData))));

    /// <summary>The next frame. It is valid until this is called again.</summary>
    /// <param name="observation">A serialized <c>ResponseObservation</c>, which is not copied.</param>
    /// <param name="gameLoop">Its game loop.</param>
    /// <param name="matchId">Identifies the match; another one, or a game loop that goes back, begins the events again.</param>
    /// <param name="skippedEvents">What happened once in observations between the previous one and this one; null: nothing.</param>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public GameFrame Next(
        ReadOnlyMemory<byte> observation, uint gameLoop, string matchId = "", ResponseObservation? skippedEvents = null)
    {
        _frame.Reset();
        _frame.Content.SetObservation(observation);
        _frame.Content.SetSkippedEvents(skippedEvents?.ToByteArray());
        (_frame.Sequence, _frame.GameLoop, _frame.MatchId, _frame.Size) = (_frame.Sequence + 1, gameLoop, matchId, observation.Length);
        var frame = new GameFrame(_frame);
        _frame.Content.Track(frame);
        return frame;
    }
}
