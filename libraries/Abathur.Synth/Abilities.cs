namespace Abathur.Synth;

/// <summary>Abilities that occur in orders and commands, besides those that make units.</summary>
internal static class Abilities
{
    /// <summary>Abilities of a selected army, and whether each needs a point.</summary>
    public static readonly (uint Id, bool Point)[] OfArmy =
    [
        (1, true), (3665, false), (3674, true), (3793, false), (3794, true), (3795, true),
    ];
}
