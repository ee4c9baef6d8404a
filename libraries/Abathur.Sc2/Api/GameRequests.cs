using SC2APIProtocol;

namespace Abathur.Sc2.Api;

/// <summary>Requests that several clients of the game send. Each is a new message, whose id the sender sets.</summary>
public static class GameRequests
{
    /// <summary>All of the game's data.</summary>
    public static Request Data =>
        new() { Data = new RequestData { AbilityId = true, UnitTypeId = true, UpgradeId = true, BuffId = true, EffectId = true } };
}
