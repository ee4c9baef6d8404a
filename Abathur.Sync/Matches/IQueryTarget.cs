using Abathur.Sync.Requests;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Matches;

/// <summary>Passes agents' queries to a game.</summary>
public interface IQueryTarget
{
    /// <summary>The game's answer; null if the game has no time for more queries in this game loop.</summary>
    /// <exception cref="RefusedException">The game refused the query, did not answer, or has disconnected.</exception>
    Task<QueryResult?> TryQueryAsync(RequestQuery query, CancellationToken cancellationToken);
}
