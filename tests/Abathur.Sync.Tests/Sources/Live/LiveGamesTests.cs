using Abathur.Sync.Sources.Live;
using SC2APIProtocol;

namespace Abathur.Sync.Tests.Sources.Live;

public class LiveGamesTests
{
    private static readonly PlayerSetup Zerg = new() { Race = Race.Zerg }, Terran = new() { Race = Race.Terran };

    private static readonly LiveGames Several = new()
    {
        Count = 3,
        Maps = ["a", "b"],
        Opponents = [Zerg, Terran],
        Common = new() { Step = 4 },
    };

    [Fact]
    public void Of_SeveralGames_HaveMapsAndOpponentsInTurn()
    {
        foreach (var games in new[] { Several, Several with { Count = 0 } })
        {
            Assert.Equal(["a", "b", "a"], new[] { 0L, 1, 2 }.Select(number => games.Of(number).Map));
            Assert.Equal([Zerg, Terran, Zerg], new[] { 0L, 1, 2 }.Select(number => Assert.Single(games.Of(number).Opponents)));
            Assert.Equal(4u, games.Of(1).Step);
        }
        Assert.True((Several with { Count = 0 }).OnRequest);
        Assert.False(Several.OnRequest);
    }

    [Fact]
    public void Of_OneGame_HasAllOpponents()
    {
        Assert.Equal([Zerg, Terran], (Several with { Count = 1 }).Of(0).Opponents);
        Assert.Empty(new LiveGames { Count = 2 }.Of(1).Opponents);
        Assert.Null(new LiveGames().Of(0).Map);
    }

    [Fact]
    public void Of_Seed_CountsUpModulo32Bits()
    {
        var games = Several with { Count = 0, Seed = uint.MaxValue - 1 };
        Assert.Equal([uint.MaxValue - 1, uint.MaxValue, 0u], new[] { 0L, 1, 2 }.Select(number => games.Of(number).Seed));
        Assert.Equal(5u, games.Of((1L << 32) + 7).Seed);
        Assert.Equal(0u, games.Of(1, seed: 0).Seed);
        Assert.Null(Several.Of(0).Seed);
        Assert.Equal(9u, Several.Of(0, seed: 9).Seed);
    }
}
