using SC2APIProtocol;

namespace Abathur.Emulator;

/// <summary>Receives the actions of clients.</summary>
public interface IActionLog
{
    /// <summary>Actions, at the game loop at which they came.</summary>
    /// <param name="gameLoop">The game loop.</param>
    /// <param name="request">The actions.</param>
    /// <param name="unitTypes">Types of their units and targets by tag, of those that the observation of that game loop has.</param>
    void Add(uint gameLoop, RequestAction request, IReadOnlyDictionary<ulong, uint> unitTypes);

    /// <summary>Debug commands, at the game loop at which they came.</summary>
    void Add(uint gameLoop, RequestDebug request);
}
