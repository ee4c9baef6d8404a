using Abathur.Grpc;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources;

/// <summary>Gives agents' actions to a game.</summary>
public interface IActionTarget
{
    /// <summary>Gives actions to the game and returns how it answered.</summary>
    /// <exception cref="GrpcException">They are refused before the game sees them: too many wait, too late, no game.</exception>
    Task<ActResult> ActAsync(ActRequest request, CancellationToken cancellation);
}
