using SC2APIProtocol;
using Target = SC2APIProtocol.AbilityData.Types.Target;

namespace Abathur.Emulator.MatchData;

/// <summary>The general abilities, each of which stands for several: clients use them in orders, and look them up in the game
/// data.</summary>
/// <remarks>
/// The game's own data has all of them. With a recording whose data has only the abilities of its match (as from early versions of
/// `synth`), a client would fail at its first attack order. Therefore missing ones are added.
/// </remarks>
internal static class GeneralAbilities
{
    private static readonly (uint Id, string Link, string Button, string Friendly, Target Target)[] All =
    [
        (3659, "Cancel", "Cancel", "Cancel", Target.None),
        (3661, "BurrowDown", "BurrowDown", "BurrowDown", Target.None),
        (3662, "BurrowUp", "BurrowUp", "BurrowUp", Target.None),
        (3665, "Stop", "Stop", "Stop", Target.None),
        (3666, "HarvestGather", "HarvestGather", "Harvest Gather", Target.Unit),
        (3667, "HarvestReturn", "HarvestReturn", "Harvest Return", Target.None),
        (3673, "GeneralRallyUnits", "Rally Units", "Rally Units", Target.PointOrUnit),
        (3674, "GeneralAttack", "Attack", "Attack", Target.PointOrUnit),
        (3690, "GeneralRallyWorkers", "Rally Workers", "Rally Workers", Target.PointOrUnit),
        (3793, "GeneralHoldPosition", "HoldPosition", "HoldPosition", Target.None),
        (3794, "GeneralMove", "Move", "Move", Target.PointOrUnit),
        (3795, "GeneralPatrol", "Patrol", "Patrol", Target.PointOrUnit),
    ];

    /// <summary>The missing abilities, as a message to append to the data.</summary>
    public static ResponseData MissingFrom(ResponseData data)
    {
        var known = data.Abilities.Select(ability => ability.AbilityId).ToHashSet();
        var missing = new ResponseData();
        missing.Abilities.AddRange(All.Where(each => !known.Contains(each.Id)).Select(each => new AbilityData
        {
            AbilityId = each.Id,
            LinkName = each.Link,
            ButtonName = each.Button,
            FriendlyName = each.Friendly,
            Available = true,
            Target = each.Target,
        }));
        return missing;
    }
}
