namespace Abathur.Sc2;

/// <summary>The game is not found, does not answer, or refuses a request.</summary>
public sealed class GameException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>Whether the game answered the request with an error. The connection can still be used.</summary>
    public bool IsRefusal { get; init; }
}
