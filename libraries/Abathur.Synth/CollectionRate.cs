namespace Abathur.Synth;

/// <summary>Resources per minute, smoothed as in the score.</summary>
internal static class CollectionRate
{
    private const int LoopsPerMinute = 1344;

    public static void Update(Player player, int loop)
    {
        var score = player.Score;
        score.CollectionRateMinerals = Smooth(score.CollectionRateMinerals, player.Workers * 55 * LoopsPerMinute / 1344, loop);
        score.CollectionRateVespene = Smooth(score.CollectionRateVespene, score.CollectedVespene > 0 ? player.Workers * 14 : 0, loop);
    }

    private static int Smooth(int old, int now, int loop) => old + (now - old) / 4 + loop % 3;
}
