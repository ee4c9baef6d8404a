using SC2APIProtocol;

namespace Abathur.Sync.Sc2Api;

/// <summary>Requests that more than one client of the game makes. Each is a new message, whose id its sender sets.</summary>
internal static class GameRequests
{
    /// <summary>All of the game's data.</summary>
    public static Request Data => new() { Data = new RequestData { AbilityId = true, UnitTypeId = true, UpgradeId = true, BuffId = true, EffectId = true } };
}
