using Abathur.Sc2;
using SC2APIProtocol;

namespace Abathur.Synth.Tests;

public class UnitTypesTests
{
    // Those that the simulation takes with a price of their own: a cocoon costs nothing more than what it becomes.
    private static readonly HashSet<string> WithoutPrice = ["BanelingCocoon", "OverlordCocoon", "TransportOverlordCocoon"];

    private static readonly ResponseData Data = GameDataTables.ToResponseData();

    [Fact]
    public void All_TypesAndUpgrades_CostWhatTheGameSays()
    {
        foreach (var type in UnitTypes.All)
        {
            var fact = Data.Units[(int)type.Id];
            var price = WithoutPrice.Contains(type.Name) ? (0u, 0u) : (fact.MineralCost, fact.VespeneCost);
            Assert.Equal((type.Name, type.Name, price), (fact.Name, type.Name, ((uint)type.Minerals, (uint)type.Vespene)));
            Assert.Equal(
                (type.Name, fact.AbilityId, fact.Race, fact.FoodProvided), (type.Name, type.Ability, type.Race, type.SupplyProvided));
            Assert.InRange(type.BuildLoops, fact.BuildTime - 1, fact.BuildTime + 1);
            Assert.Equal(fact.Attributes, type.Attributes);
        }
        foreach (var upgrade in Upgrades.Zerg.Concat(Upgrades.Protoss))
        {
            var fact = Data.Upgrades[upgrade.Id];
            Assert.Equal(
                (fact.Name, fact.MineralCost, fact.VespeneCost, fact.AbilityId, fact.ResearchTime),
                (upgrade.Name, (uint)upgrade.Cost, (uint)upgrade.Cost, upgrade.Ability, upgrade.Loops));
        }
    }
}
