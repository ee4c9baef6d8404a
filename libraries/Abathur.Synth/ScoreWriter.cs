using Abathur.Protobuf.Wire;
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

        var start = wire.Begin(1);
        wire.WriteInt64(1, player.Id);
        wire.WriteInt64(2, Math.Max(player.Minerals, 0));
        wire.WriteInt64(3, Math.Max(player.Vespene, 0));
        wire.WriteInt64(4, Math.Min(player.SupplyCap, Player.SupplyLimit));
        wire.WriteInt64(5, (player.SupplyUsedHalves + 1) / 2);
        wire.WriteInt64(6, (player.ArmyHalves + 1) / 2);
        wire.WriteInt64(7, player.Workers);
        wire.WriteInt64(8, idle);
        wire.WriteInt64(9, player.ArmyCount);
        wire.WriteInt64(10, 0);
        if (larvae > 0) wire.WriteInt64(11, larvae);
        wire.End(start);
    }

    /// <summary>Writes observation.score.</summary>
    public static void WriteScore(WireWriter wire, Player player, World world)
    {
        var score = player.Score;
        var start = wire.Begin(4, 2);
        wire.WriteInt64(6, 2);
        wire.WriteInt64(7, score.Total(player));
        var details = wire.Begin(8, 2);
        float[] head =
        [
            score.IdleProductionTime / 16f, score.IdleWorkerTime / 16f, score.ValueUnits, score.ValueStructures, score.KilledValueUnits, score.KilledValueStructures,
            score.CollectedMinerals, score.CollectedVespene, score.CollectionRateMinerals, score.CollectionRateVespene, score.SpentMinerals, score.SpentVespene,
        ];
        for (var i = 0; i < head.Length; i++) wire.WriteFloat(i + 1, head[i]);
        WriteCategory(wire, 13, (player.ArmyHalves + 1) / 2, player.Workers, 0, 0);
        CategoryScore[] categories =
        [
            score.KilledMinerals, score.KilledVespene, score.LostMinerals, score.LostVespene, new(), new(),
            score.UsedMinerals, score.UsedVespene, score.TotalUsedMinerals, score.TotalUsedVespene,
        ];
        for (var i = 0; i < categories.Length; i++)
        {
            var of = categories[i];
            WriteCategory(wire, 14 + i, of.Army, of.Economy, of.Technology, of.Upgrade);
        }

        WriteVital(wire, 24, score.DamageDealtLife, score.DamageDealtShields);
        WriteVital(wire, 25, score.DamageTakenLife, score.DamageTakenShields);
        WriteVital(wire, 26, score.Healed, 0);
        var minutes = (world.Loop + 1) / 1344f;
        wire.WriteFloat(27, (int)(score.Actions / minutes));
        wire.WriteFloat(28, (int)(score.Actions / minutes * 0.75f));
        wire.End(details);
        wire.End(start);
    }

    private static void WriteCategory(WireWriter wire, int field, int army, int economy, int technology, int upgrade)
    {
        var start = wire.Begin(field);
        wire.WriteFloat(1, 0);
        wire.WriteFloat(2, army);
        wire.WriteFloat(3, economy);
        wire.WriteFloat(4, technology);
        wire.WriteFloat(5, upgrade);
        wire.End(start);
    }

    private static void WriteVital(WireWriter wire, int field, long life, long shields)
    {
        var start = wire.Begin(field);
        wire.WriteFloat(1, life / 4096f);
        wire.WriteFloat(2, shields / 4096f);
        wire.WriteFloat(3, 0);
        wire.End(start);
    }
}
