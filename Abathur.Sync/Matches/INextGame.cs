using Abathur.Sync.Requests;

namespace Abathur.Sync.Matches;

/// <summary>Starts games on request.</summary>
public interface INextGame
{
    /// <summary>Ends the match that runs, and lets the next game begin. Completes when that match is over for all who see it: a reader that
    /// subscribes then reads the next one. A request that comes while another waits joins it; the newest seed holds.</summary>
    /// <param name="seed">Seed of the game's random numbers; null: that of the command line.</param>
    /// <param name="cancellationToken">Ends the wait, not the request.</param>
    /// <exception cref="RefusedException">No game begins any more.</exception>
    Task StartNextAsync(uint? seed, CancellationToken cancellationToken);
}
