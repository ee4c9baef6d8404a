namespace Abathur.Sync.Sources.Synth;

/// <summary>An ability of the simulation that makes nothing: id, link, button, friendly name, target.</summary>
internal sealed record Ability(uint Id, string Link, string Button, string Friendly, SC2APIProtocol.AbilityData.Types.Target Target);

/// <summary>Abilities that occur in orders and commands, besides those that make units.</summary>
internal static class Abilities
{
    /// <summary>What a selected army offers, with whether it wants a point.</summary>
    public static readonly (uint Id, bool Point)[] OfArmy = [(1, true), (3665, false), (3674, true), (3793, false), (3794, true), (3795, true)];

    public static readonly Ability[] All =
    [
        new(1, "", "Smart", "Smart", SC2APIProtocol.AbilityData.Types.Target.PointOrUnit),
        new(16, "move", "Move", "Move Move", SC2APIProtocol.AbilityData.Types.Target.PointOrUnit),
        new(23, "attack", "Attack", "Attack Attack", SC2APIProtocol.AbilityData.Types.Target.PointOrUnit),
        new(251, "SpawnLarva", "MorphMorphalisk", "Effect InjectLarva", SC2APIProtocol.AbilityData.Types.Target.Unit),
        new(298, "ProbeHarvest", "Gather", "Harvest Gather Probe", SC2APIProtocol.AbilityData.Types.Target.Unit),
        new(299, "ProbeHarvest", "ReturnCargo", "Harvest Return Probe", SC2APIProtocol.AbilityData.Types.Target.None),
        new(1183, "DroneHarvest", "Gather", "Harvest Gather Drone", SC2APIProtocol.AbilityData.Types.Target.Unit),
        new(1184, "DroneHarvest", "ReturnCargo", "Harvest Return Drone", SC2APIProtocol.AbilityData.Types.Target.None),
    ];
}
