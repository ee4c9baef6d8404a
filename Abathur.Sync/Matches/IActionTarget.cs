using Abathur.Sync.Requests;
using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>Sends agents' actions to a game.</summary>
public interface IActionTarget
{
    /// <summary>Sends actions to the game and returns its answer.</summary>
    /// <exception cref="RefusedException">They are refused before they reach the game: too many in the queue, too late, no
    /// game.</exception>
    Task<ActResult> ActAsync(ActRequest request, CancellationToken cancellationToken);
}
