namespace Abathur.Sync.Matches;

/// <summary>What clients see of a match: it as it is, or later.</summary>
/// <param name="Run">The match.</param>
public sealed record MatchView(MatchRun Run)
{
    /// <summary>How much later it is than it was. Then the status tells only of what is shown.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>Whether the status leaves out the memory and the processor time of the process, which tell of another match.</summary>
    public bool HidesLoad { get; init; }

    /// <summary>Whether it is a part of a match that others see before.</summary>
    public bool IsDelayed => Delay > TimeSpan.Zero;
}
