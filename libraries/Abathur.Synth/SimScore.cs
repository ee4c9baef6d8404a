namespace Abathur.Synth;

/// <summary>Resources by what they were spent on.</summary>
internal sealed class CategoryScore
{
    public int Army { get; set; }
    public int Economy { get; set; }
    public int Technology { get; set; }
    public int Upgrade { get; set; }

    public void Add(UnitRole role, int amount)
    {
        switch (role)
        {
            case UnitRole.Army or UnitRole.Defense:
                Army += amount;
                break;
            case UnitRole.Tech or UnitRole.Production:
                Technology += amount;
                break;
            default:
                Economy += amount;
                break;
        }
    }
}

/// <summary>The figures of <c>ScoreDetails</c>. Damage in 1/4096 hit point, idle times in 1/16 second.</summary>
internal sealed class SimScore
{
    public int IdleProductionTime { get; set; }
    public int IdleWorkerTime { get; set; }
    public int ValueUnits { get; set; }
    public int ValueStructures { get; set; }
    public int KilledValueUnits { get; set; }
    public int KilledValueStructures { get; set; }
    public int CollectedMinerals { get; set; }
    public int CollectedVespene { get; set; }
    public int CollectionRateMinerals { get; set; }
    public int CollectionRateVespene { get; set; }
    public int SpentMinerals { get; set; }
    public int SpentVespene { get; set; }
    public CategoryScore KilledMinerals { get; } = new();
    public CategoryScore KilledVespene { get; } = new();
    public CategoryScore LostMinerals { get; } = new();
    public CategoryScore LostVespene { get; } = new();
    public CategoryScore UsedMinerals { get; } = new();
    public CategoryScore UsedVespene { get; } = new();
    public CategoryScore TotalUsedMinerals { get; } = new();
    public CategoryScore TotalUsedVespene { get; } = new();
    public long DamageDealtLife { get; set; }
    public long DamageDealtShields { get; set; }
    public long DamageTakenLife { get; set; }
    public long DamageTakenShields { get; set; }
    public long Healed { get; set; }
    public int Actions { get; set; }

    public int Total(Player player) =>
        player.Minerals + player.Vespene + ValueUnits + ValueStructures + KilledValueUnits + KilledValueStructures;
}
