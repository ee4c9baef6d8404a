using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>Something that happened between two frames of a subscription.</summary>
public readonly record struct UnitEvent
{
    /// <summary>What happened.</summary>
    public UnitEventKind Kind { get; init; }

    /// <summary>Tag of the unit; 0 for an upgrade or an alert.</summary>
    public ulong Tag { get; init; }

    /// <summary>Row of the unit in <see cref="GameFrame.Units"/>; -1 where it is not in this frame.</summary>
    public int Row { get; init; }

    /// <summary>For <see cref="UnitEventKind.UnitTookDamage"/>: points of health and shield, computed as BotAI does, in double precision.
    /// It can be zero or negative, when one of the two has grown.</summary>
    public double Amount { get; init; }

    /// <summary>For <see cref="UnitEventKind.UnitTypeChanged"/>: the type in the previous frame.</summary>
    public uint PreviousType { get; init; }

    /// <summary>For <see cref="UnitEventKind.UpgradeComplete"/>: the upgrade.</summary>
    public uint UpgradeId { get; init; }

    /// <summary>For <see cref="UnitEventKind.Alert"/>: the alert.</summary>
    public Alert Alert { get; init; }

    /// <summary>An event of a unit in this frame.</summary>
    internal static UnitEvent Of(UnitEventKind kind, ulong tag, int row) => new() { Kind = kind, Tag = tag, Row = row };
}
