using SC2APIProtocol;

namespace Abathur.Emulator;

/// <summary>Receives the actions of clients.</summary>
public interface IActionLog
{
    /// <summary>Actions, at the game loop at which they came.</summary>
    void Add(uint gameLoop, RequestAction request);

    /// <summary>Debug commands, at the game loop at which they came.</summary>
    void Add(uint gameLoop, RequestDebug request);
}
