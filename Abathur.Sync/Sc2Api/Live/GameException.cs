namespace Abathur.Sync.Sc2Api.Live;

/// <summary>The game cannot be had, or refuses what it is asked.</summary>
public sealed class GameException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>Whether the game is there, and has said no.</summary>
    public bool IsRefusal { get; init; }
}
