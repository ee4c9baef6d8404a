using Abathur.Sync.V1;

namespace Abathur.Sync.Sources;

/// <summary>The whole of a recorded match, whatever of it has been played.</summary>
public interface IMatchOverview
{
    /// <summary>The timeline, after a game loop (0: all).</summary>
    /// <exception cref="InvalidDataException">The recording cannot be read.</exception>
    Task<Timeline> TimelineAsync(uint afterGameLoop, CancellationToken cancellation);

    /// <summary>The recorded plots, after a game loop (0: all) and at most up to another one.</summary>
    /// <exception cref="InvalidDataException">The recording cannot be read.</exception>
    Task<V1.Plots> PlotsAsync(uint afterGameLoop, uint untilGameLoop, CancellationToken cancellation);
}
