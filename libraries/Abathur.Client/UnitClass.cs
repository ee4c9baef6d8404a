namespace Abathur.Client;

/// <summary>The groups in which units are compared with the previous frame, as BotAI forms them.</summary>
internal enum UnitClass : byte
{
    OwnUnit,
    OwnStructure,
    EnemyUnit,
    EnemyStructure,

    /// <summary>Neutral and allied units, and placeholders: they can be destroyed only.</summary>
    Other,

    /// <summary>Blips and units that stand for effects.</summary>
    None,
}
