namespace Abathur.Sync.Hub;

/// <summary>Where a subscription begins: with the next frame (default), or with kept ones.</summary>
/// <param name="IsInHistory">Whether it begins with kept frames.</param>
/// <param name="GameLoop">It begins with the first kept frame at or after this game loop; null: with the oldest one.</param>
/// <param name="MayBeNext">Whether it begins with the next frame if there is no such frame yet.</param>
public readonly record struct SubscriptionStart(bool IsInHistory, uint? GameLoop = null, bool MayBeNext = false)
{
    /// <summary>Begins with the oldest kept frame.</summary>
    public static SubscriptionStart Oldest { get; } = new(true, MayBeNext: true);

    /// <summary>Begins with the first kept frame at or after a game loop.</summary>
    public static SubscriptionStart At(uint gameLoop) => new(true, gameLoop);

    /// <summary>Continues behind a game loop.</summary>
    public static SubscriptionStart After(uint gameLoop) => new(true, gameLoop + 1, MayBeNext: true);
}
