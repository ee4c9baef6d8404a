using Abathur.Sync.Sc2Api.Emulator;
using SC2APIProtocol;

namespace Abathur.Sync.Tests.Sc2Api.Emulator;

/// <summary>Queries on the first frame of a real Terran match: one command center, twelve SCVs, 50 minerals.</summary>
public class GameQueriesTests
{
    private const int TrainScv = 524;
    private const int BuildSupplyDepot = 319;
    private const int BuildRefinery = 320;
    private const int BuildBarracks = 321;
    private const int BuildCommandCenter = 318;

    [Theory]
    [InlineData(float.NaN, 1)]
    [InlineData(1, float.PositiveInfinity)]
    [InlineData(float.NegativeInfinity, float.NegativeInfinity)]
    [InlineData(3e38f, 1)]
    [InlineData(-0.5f, 1)]
    public void Placement_PointsThatAreNone_AreRefusedAtOnce(float x, float y)
    {
        var data = new ResponseData { Abilities = { new AbilityData { AbilityId = 1, IsBuilding = true, FootprintRadius = 2.5f } } };
        var placement = new BuildingPlacement(new TerrainGrid(20, 20, static (_, _) => true), data);
        Assert.Equal(ActionResult.CantBuildLocationInvalid, placement.Check(1, new Point2D { X = x, Y = y }, null, []));
        Assert.Equal(ActionResult.Success, placement.Check(1, new Point2D { X = 10, Y = 10 }, null, []));
    }

    [SharedFact("observations")]
    public void Abilities_FirstFrame_AreWhatIsPaidForAndAllowed()
    {
        var (raw, common, data, _) = Frame();
        var abilities = new AvailableAbilities(data);
        var (hall, worker) = (raw.Units.First(unit => IsMine(unit, 18)), raw.Units.First(unit => IsMine(unit, 45)));
        Assert.Contains(TrainScv, abilities.Of(hall, raw.Units, common).Select(each => each.AbilityId));
        var paid = abilities.Of(worker, raw.Units, common).Select(each => each.AbilityId).ToList();
        var free = abilities.Of(worker, raw.Units, null).Select(each => each.AbilityId).ToList();
        Assert.DoesNotContain(BuildSupplyDepot, paid);
        Assert.Contains(BuildSupplyDepot, free);
        // A supply depot is required.
        Assert.DoesNotContain(BuildBarracks, free);
        Assert.All(abilities.Of(worker, raw.Units, null).Where(each => each.AbilityId == BuildSupplyDepot), each => Assert.True(each.RequiresPoint));
        Assert.Empty(abilities.Of(raw.Units.First(unit => unit.Alliance == Alliance.Neutral), raw.Units, null));
    }

    [SharedFact("observations")]
    public void Placement_FirstFrame_IsByGridUnitsAndGeysers()
    {
        var (raw, common, data, info) = Frame();
        var placement = new BuildingPlacement(TerrainGrid.From(info.StartRaw.PlacementGrid), data);
        var hall = raw.Units.First(unit => IsMine(unit, 18)).Pos;
        var geyser = raw.Units.First(unit => unit.VespeneContents > 0).Pos;
        ActionResult At(uint ability, float x, float y) => placement.Check(ability, new Point2D { X = x, Y = y }, null, raw.Units);
        Assert.Equal(ActionResult.CantBuildLocationInvalid, At(BuildSupplyDepot, hall.X, hall.Y));
        // 2.5 cells of the hall and 1 of the depot lie between their middles.
        Assert.Equal(ActionResult.CantBuildLocationInvalid, At(BuildSupplyDepot, hall.X, hall.Y + 3));
        Assert.Equal(ActionResult.CantBuildLocationInvalid, At(BuildSupplyDepot, 1, 1));
        Assert.Equal(ActionResult.Success, At(BuildRefinery, geyser.X, geyser.Y));
        Assert.Equal(ActionResult.CantBuildLocationInvalid, At(BuildRefinery, hall.X, hall.Y));
        Assert.Equal(ActionResult.NotSupported, At(uint.MaxValue, hall.X, hall.Y));
        // The other start location is free in this player's view, and large enough for what stands there.
        var other = info.StartRaw.StartLocations[0];
        Assert.Equal(ActionResult.Success, At(BuildCommandCenter, other.X, other.Y));
        Assert.Equal(ActionResult.NotEnoughMinerals, placement.Affordable(BuildCommandCenter, common));
        Assert.Equal(ActionResult.Success, placement.Affordable(TrainScv, common));
        var free = from y in Enumerable.Range(-12, 25) from x in Enumerable.Range(-12, 25) where At(BuildSupplyDepot, hall.X + x + 0.5f, hall.Y + y + 0.5f) == ActionResult.Success select (x, y);
        Assert.InRange(free.Count(), 50, 500);
    }

    private static bool IsMine(Unit unit, uint type) => unit.Alliance == Alliance.Self && unit.UnitType == type;

    private static (ObservationRaw Raw, PlayerCommon Common, ResponseData Data, ResponseGameInfo Info) Frame()
    {
        var folder = SharedData.PathTo("observations", "2000AtmospheresAIE");
        var observation = ResponseObservation.Parser.ParseFrom(File.ReadAllBytes(Path.Combine(folder, "observation.binpb"))).Observation;
        return (
            observation.RawData,
            observation.PlayerCommon,
            ResponseData.Parser.ParseFrom(File.ReadAllBytes(SharedData.PathTo("observations", "game_data.binpb"))),
            ResponseGameInfo.Parser.ParseFrom(File.ReadAllBytes(Path.Combine(folder, "game_info.binpb"))));
    }
}
