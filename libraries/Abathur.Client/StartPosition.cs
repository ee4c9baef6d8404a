namespace Abathur.Client;

/// <summary>Where a subscription begins: with the next frame (the default), or with frames that the daemon keeps.</summary>
public readonly record struct StartPosition
{
    /// <summary>The next frame that the source publishes.</summary>
    public static StartPosition Live => default;

    /// <summary>The oldest frame that the daemon keeps; then all others, and the live frames without gap or duplicate.</summary>
    public static StartPosition Oldest => new() { IsOldest = true };

    internal bool IsOldest { get; private init; }

    internal uint? Loop { get; private init; }

    /// <summary>The first kept frame at or after a game loop; then as <see cref="Oldest"/>.</summary>
    public static StartPosition GameLoop(uint gameLoop) => new() { Loop = gameLoop };
}
