namespace Abathur.Client;

/// <summary>What happened to a unit: names, meaning and order are those of python-sc2's BotAI. <see cref="Alert"/> is ours.</summary>
/// <remarks>Blips and the units that stand for effects (KD8 charge, parasitic bomb, force field) have no events. Snapshots and hidden units
/// count as visible.</remarks>
public enum UnitEventKind
{
    /// <summary>A unit of the previous frame, of any alliance, died.</summary>
    UnitDestroyed,

    /// <summary>A unit of ours that is not a structure appeared for the first time. At a late join (a first frame at game loop 224 or
    /// later),
    /// units that were seen in the first frame, their passengers, and workers that carry something are not created when they come
    /// back.</summary>
    UnitCreated,

    /// <summary>Health or shield of a unit or structure of ours is lower than in the previous frame.</summary>
    UnitTookDamage,

    /// <summary>A unit or structure of ours has another type than in the previous frame.</summary>
    UnitTypeChanged,

    /// <summary>A structure of ours appeared that is not complete.</summary>
    BuildingConstructionStarted,

    /// <summary>A structure of ours is complete, or appeared complete.</summary>
    BuildingConstructionComplete,

    /// <summary>An upgrade was researched.</summary>
    UpgradeComplete,

    /// <summary>A unit or structure of an enemy is in this frame, and was not in the previous one.</summary>
    EnemyUnitEnteredVision,

    /// <summary>A unit or structure of an enemy was in the previous frame, and is not in this one.</summary>
    EnemyUnitLeftVision,

    /// <summary>The game gave an alert.</summary>
    Alert,
}
