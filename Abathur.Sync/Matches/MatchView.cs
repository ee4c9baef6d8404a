using Abathur.Sync.Hub;

namespace Abathur.Sync.Matches;

/// <summary>What the clients of an access level see: the match that runs, or comes next. Thread-safe.</summary>
public sealed class MatchView : IDisposable
{
    private readonly MatchAbilities _abilities;
    private volatile MatchRun _current;

    internal MatchView(HubShare share, MatchAbilities abilities)
    {
        (Share, _abilities) = (share, abilities);
        _current = new MatchRun(share, abilities);
    }

    /// <summary>How much later matches are seen. Then the status tells only of what is shown.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>Whether the status leaves out the memory and the processor time of the process, which tell of what is not shown.</summary>
    public bool HidesLoad { get; init; }

    /// <summary>Whether others see the same before.</summary>
    public bool IsDelayed => Delay > TimeSpan.Zero;

    /// <summary>The match that runs, or comes next.</summary>
    public MatchRun Current => _current;

    /// <summary>What the hubs of its matches share.</summary>
    internal HubShare Share { get; }

    /// <summary>Begins with the next match. Who subscribes from now on waits for it.</summary>
    /// <returns>The one before, which the caller finishes and disposes.</returns>
    internal MatchRun GoOn() => Interlocked.Exchange(ref _current, new MatchRun(Share, _abilities));

    /// <summary>Drops what is kept. Subscriptions must have ended.</summary>
    public void Dispose() => _current.Dispose();
}
