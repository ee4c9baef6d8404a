namespace Abathur.Sync.Frames;

/// <summary>Frames that a subscriber did not get: their number, and the game loops of the first and the last.</summary>
public readonly record struct DroppedFrames(ulong Count, uint FirstGameLoop, uint LastGameLoop)
{
    /// <summary>What happened once in them, and in frames that downsampling excluded; null if nothing did. Known when the next frame is
    /// sent.</summary>
    public SkippedEventsMessage? Events { get; init; }

    /// <summary>Adds a frame dropped after these.</summary>
    public DroppedFrames Then(uint gameLoop) =>
        Count == 0 ? new(1, gameLoop, gameLoop) : this with { Count = Count + 1, LastGameLoop = gameLoop };

    /// <summary>Adds frames dropped after these.</summary>
    public DroppedFrames Then(DroppedFrames later)
    {
        if (Count == 0) return later;
        return later.Count == 0 ? this : new(Count + later.Count, FirstGameLoop, later.LastGameLoop);
    }
}
