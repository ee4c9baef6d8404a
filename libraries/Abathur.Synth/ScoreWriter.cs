using Abathur.Protobuf.Wire;
using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>Writes <c>SC2APIProtocol.Score</c> and <c>PlayerCommon</c>; all fields are present, as in real observations.</summary>
internal static class ScoreWriter
{
    /// <summary>Writes observation.player_common.</summary>
    public static void WriteCommon(WireWriter wire, Player player, World world)
    {
        int idle = 0, larvae = 0;
        foreach (var unit in world.Units)
        {
            if (unit.Owner != player.Id) continue;
            if (unit.Type.Role == UnitRole.Worker && !unit.HasOrder) idle++;
            if (unit.Type.Role == UnitRole.Larva) larvae++;
        }

        var start = wire.Begin(Observation.PlayerCommonFieldNumber);
        wire.WriteInt64(PlayerCommon.PlayerIdFieldNumber, player.Id);
        wire.WriteInt64(PlayerCommon.MineralsFieldNumber, Math.Max(player.Minerals, 0));
        wire.WriteInt64(PlayerCommon.VespeneFieldNumber, Math.Max(player.Vespene, 0));
        wire.WriteInt64(PlayerCommon.FoodCapFieldNumber, Math.Min(player.SupplyCap, Player.SupplyLimit));
        wire.WriteInt64(PlayerCommon.FoodUsedFieldNumber, (player.SupplyUsedHalves + 1) / 2);
        wire.WriteInt64(PlayerCommon.FoodArmyFieldNumber, (player.ArmyHalves + 1) / 2);
        wire.WriteInt64(PlayerCommon.FoodWorkersFieldNumber, player.Workers);
        wire.WriteInt64(PlayerCommon.IdleWorkerCountFieldNumber, idle);
        wire.WriteInt64(PlayerCommon.ArmyCountFieldNumber, player.ArmyCount);
        wire.WriteInt64(PlayerCommon.WarpGateCountFieldNumber, 0);
        if (larvae > 0) wire.WriteInt64(PlayerCommon.LarvaCountFieldNumber, larvae);
        wire.End(start);
    }

    /// <summary>Writes observation.score.</summary>
    public static void WriteScore(WireWriter wire, Player player, World world)
    {
        var score = player.Score;
        var start = wire.Begin(Observation.ScoreFieldNumber, 2);
        wire.WriteInt64(Score.ScoreTypeFieldNumber, (int)Score.Types.ScoreType.Melee);
        wire.WriteInt64(Score.Score_FieldNumber, score.Total(player));
        var details = wire.Begin(Score.ScoreDetailsFieldNumber, 2);
        float[] head =
        [
            score.IdleProductionTime / 16f, score.IdleWorkerTime / 16f, score.ValueUnits, score.ValueStructures, score.KilledValueUnits,
            score.KilledValueStructures,
            score.CollectedMinerals, score.CollectedVespene, score.CollectionRateMinerals, score.CollectionRateVespene, score.SpentMinerals,
            score.SpentVespene,
        ];
        for (var i = 0; i < head.Length; i++) wire.WriteFloat(ScoreDetails.IdleProductionTimeFieldNumber + i, head[i]);
        WriteCategory(wire, ScoreDetails.FoodUsedFieldNumber, (player.ArmyHalves + 1) / 2, player.Workers, 0, 0);
        CategoryScore[] categories =
        [
            score.KilledMinerals, score.KilledVespene, score.LostMinerals, score.LostVespene, new(), new(),
            score.UsedMinerals, score.UsedVespene, score.TotalUsedMinerals, score.TotalUsedVespene,
        ];
        for (var i = 0; i < categories.Length; i++)
        {
            var of = categories[i];
            WriteCategory(wire, ScoreDetails.KilledMineralsFieldNumber + i, of.Army, of.Economy, of.Technology, of.Upgrade);
        }

        WriteVital(wire, ScoreDetails.TotalDamageDealtFieldNumber, score.DamageDealtLife, score.DamageDealtShields);
        WriteVital(wire, ScoreDetails.TotalDamageTakenFieldNumber, score.DamageTakenLife, score.DamageTakenShields);
        WriteVital(wire, ScoreDetails.TotalHealedFieldNumber, score.Healed, 0);
        var minutes = (world.Loop + 1) / 1344f;
        wire.WriteFloat(ScoreDetails.CurrentApmFieldNumber, (int)(score.Actions / minutes));
        wire.WriteFloat(ScoreDetails.CurrentEffectiveApmFieldNumber, (int)(score.Actions / minutes * 0.75f));
        wire.End(details);
        wire.End(start);
    }

    private static void WriteCategory(WireWriter wire, int field, int army, int economy, int technology, int upgrade)
    {
        var start = wire.Begin(field);
        wire.WriteFloat(CategoryScoreDetails.NoneFieldNumber, 0);
        wire.WriteFloat(CategoryScoreDetails.ArmyFieldNumber, army);
        wire.WriteFloat(CategoryScoreDetails.EconomyFieldNumber, economy);
        wire.WriteFloat(CategoryScoreDetails.TechnologyFieldNumber, technology);
        wire.WriteFloat(CategoryScoreDetails.UpgradeFieldNumber, upgrade);
        wire.End(start);
    }

    private static void WriteVital(WireWriter wire, int field, long life, long shields)
    {
        var start = wire.Begin(field);
        wire.WriteFloat(VitalScoreDetails.LifeFieldNumber, life / 4096f);
        wire.WriteFloat(VitalScoreDetails.ShieldsFieldNumber, shields / 4096f);
        wire.WriteFloat(VitalScoreDetails.EnergyFieldNumber, 0);
        wire.End(start);
    }
}
