using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>The whole of a recorded match, whatever of it has been played.</summary>
public interface IMatchOverview
{
    /// <summary>The timeline.</summary>
    /// <param name="afterGameLoop">Rows after this game loop; 0: all.</param>
    /// <param name="requireRoom">Is called with the bytes of the values before they are copied; throws if they are too many.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="InvalidDataException">The recording cannot be read.</exception>
    Task<Timeline> TimelineAsync(uint afterGameLoop, Action<long> requireRoom, CancellationToken cancellationToken);

    /// <summary>The recorded plots.</summary>
    /// <param name="afterGameLoop">Points after this game loop; 0: all.</param>
    /// <param name="untilGameLoop">Points up to this game loop.</param>
    /// <param name="requireRoom">As for the timeline.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="InvalidDataException">The recording cannot be read.</exception>
    Task<V1.Plots> PlotsAsync(uint afterGameLoop, uint untilGameLoop, Action<long> requireRoom, CancellationToken cancellationToken);
}
