using SC2APIProtocol;

namespace Abathur.Sync.Matches.History;

/// <summary>The columns of the timeline: the player's own numbers, and what is known of enemies.</summary>
internal static class TimelineColumns
{
    private static (string Name, Func<Observation, float> Value)[] Own { get; } =
    [
        ("minerals", seen => seen.PlayerCommon?.Minerals ?? 0),
        ("vespene", seen => seen.PlayerCommon?.Vespene ?? 0),
        ("food_used", seen => seen.PlayerCommon?.FoodUsed ?? 0),
        ("food_cap", seen => seen.PlayerCommon?.FoodCap ?? 0),
        ("food_army", seen => seen.PlayerCommon?.FoodArmy ?? 0),
        ("food_workers", seen => seen.PlayerCommon?.FoodWorkers ?? 0),
        ("idle_worker_count", seen => seen.PlayerCommon?.IdleWorkerCount ?? 0),
        ("army_count", seen => seen.PlayerCommon?.ArmyCount ?? 0),
        ("warp_gate_count", seen => seen.PlayerCommon?.WarpGateCount ?? 0),
        ("larva_count", seen => seen.PlayerCommon?.LarvaCount ?? 0),
        ("collection_rate_minerals", seen => seen.Score?.ScoreDetails?.CollectionRateMinerals ?? 0),
        ("collection_rate_vespene", seen => seen.Score?.ScoreDetails?.CollectionRateVespene ?? 0),
        ("collected_minerals", seen => seen.Score?.ScoreDetails?.CollectedMinerals ?? 0),
        ("collected_vespene", seen => seen.Score?.ScoreDetails?.CollectedVespene ?? 0),
        ("spent_minerals", seen => seen.Score?.ScoreDetails?.SpentMinerals ?? 0),
        ("spent_vespene", seen => seen.Score?.ScoreDetails?.SpentVespene ?? 0),
        ("total_value_units", seen => seen.Score?.ScoreDetails?.TotalValueUnits ?? 0),
        ("total_value_structures", seen => seen.Score?.ScoreDetails?.TotalValueStructures ?? 0),
        ("killed_value_units", seen => seen.Score?.ScoreDetails?.KilledValueUnits ?? 0),
        ("killed_value_structures", seen => seen.Score?.ScoreDetails?.KilledValueStructures ?? 0),
        ("army_minerals", seen => seen.Score?.ScoreDetails?.UsedMinerals?.Army ?? 0),
        ("army_vespene", seen => seen.Score?.ScoreDetails?.UsedVespene?.Army ?? 0),
        ("lost_minerals", seen => Sum(seen.Score?.ScoreDetails?.LostMinerals)),
        ("lost_vespene", seen => Sum(seen.Score?.ScoreDetails?.LostVespene)),
    ];

    private static string[] Seen { get; } =
        ["base_count", "enemy_army_value", "enemy_food_army", "enemy_worker_count", "enemy_base_count"];

    /// <summary>Names, in the order of a row.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. Own.Select(column => column.Name), .. Seen];

    /// <summary>Writes a row.</summary>
    /// <param name="observation">The observation.</param>
    /// <param name="known">The units that are known at it.</param>
    /// <param name="row">One place for each of <see cref="Names"/>.</param>
    public static void Write(Observation observation, IEnumerable<KnownUnit> known, Span<float> row)
    {
        for (var i = 0; i < Own.Length; i++) row[i] = Own[i].Value(observation);
        var seen = row[Own.Length..];
        seen.Clear();
        foreach (var unit in known)
        {
            if (!unit.IsEnemy)
            {
                if (unit.Kind.IsBase) seen[0]++;
                continue;
            }
            if (unit.Kind.IsArmy) (seen[1], seen[2]) = (seen[1] + unit.Kind.Value, seen[2] + unit.Kind.Food);
            if (unit.Kind.IsWorker) seen[3]++;
            if (unit.Kind.IsBase) seen[4]++;
        }
    }

    private static float Sum(CategoryScoreDetails? details) =>
        details is null ? 0 : details.None + details.Army + details.Economy + details.Technology + details.Upgrade;
}
