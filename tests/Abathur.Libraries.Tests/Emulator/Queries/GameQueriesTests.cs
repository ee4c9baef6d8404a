using Abathur.Emulator.Queries;
using SC2APIProtocol;

namespace Abathur.Emulator.Tests.Queries;

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
        Assert.All(
            abilities.Of(worker, raw.Units, null).Where(each => each.AbilityId == BuildSupplyDepot),
            each => Assert.True(each.RequiresPoint));
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
        var free = from y in Enumerable.Range(-12, 25)
                   from x in Enumerable.Range(-12, 25)
                   where At(
            BuildSupplyDepot, hall.X + x + 0.5f, hall.Y + y + 0.5f) == ActionResult.Success
                   select (x, y);
        Assert.InRange(free.Count(), 50, 500);
    }

    [Theory]
    [InlineData("Hatchery", true, true)]
    [InlineData("Lair", true, true)]
    [InlineData("Hive", true, true)]
    [InlineData("Hatchery", false, false)]
    [InlineData("SpawningPool", true, false)]
    public void Abilities_ZergTownHallWithAPool_TrainsQueens(string building, bool hasPool, bool isOffered)
    {
        const uint Pool = 89, Building = 1000;
        const int TrainQueen = 1632;
        var data = new ResponseData
        {
            Abilities = { new AbilityData { AbilityId = TrainQueen, LinkName = "TrainQueen" } },
            Units =
            {
                new UnitTypeData
                {
                    UnitId = 126,
                    Name = "Queen",
                    AbilityId = TrainQueen,
                    MineralCost = 150,
                    TechRequirement = Pool,
                    Available = true,
                },
                new UnitTypeData { UnitId = Pool, Name = "SpawningPool" },
                new UnitTypeData { UnitId = Building, Name = building },
            },
        };
        var unit = new Unit { UnitType = Building, Alliance = Alliance.Self, BuildProgress = 1 };
        var units = new List<Unit> { unit };
        if (hasPool) units.Add(new Unit { UnitType = Pool, Alliance = Alliance.Self, BuildProgress = 1 });
        var abilities = new AvailableAbilities(data);
        Assert.Equal(isOffered, abilities.Of(unit, units, new PlayerCommon { Minerals = 150 }).Any(each => each.AbilityId == TrainQueen));
        Assert.Equal(isOffered, abilities.Of(unit, units, null).Any(each => each.AbilityId == TrainQueen));
        Assert.Empty(abilities.Of(unit, units, new PlayerCommon { Minerals = 149 }));
    }

    [SharedFact("observations")]
    public void Abilities_EvolutionChamberOfTheGamesData_ResearchesAttacks()
    {
        const uint EvolutionChamber = 90;
        const int MeleeAttacks = 1186;
        var (_, _, data, _) = Frame();
        var unit = new Unit { UnitType = EvolutionChamber, Alliance = Alliance.Self, BuildProgress = 1 };
        Assert.Contains(MeleeAttacks, new AvailableAbilities(data).Of(unit, [unit], null).Select(each => each.AbilityId));
    }

    [SharedFact("observations")]
    public void Pathing_TownHallAndStartLocation_AreReachedFromTheOpenCellBesideThem()
    {
        var queries = Queries(out var observation);
        var raw = ResponseObservation.Parser.ParseFrom(observation).Observation.RawData;
        var hall = raw.Units.First(unit => IsMine(unit, 18));
        var mineral = raw.Units.First(unit => unit.MineralContents > 0).Pos;
        var (_, _, _, info) = Frame();
        var (own, enemy) = (new Point2D { X = hall.Pos.X, Y = hall.Pos.Y }, info.StartRaw.StartLocations[0]);
        float Distance(RequestQueryPathing query)
        {
            Assert.True(queries.TryAnswer(new RequestQuery { Pathing = { query } }, 1, observation, out var answer, out _));
            return answer.Pathing[0].Distance;
        }
        var there = Distance(new RequestQueryPathing { StartPos = own, EndPos = enemy });
        var straight = MathF.Sqrt((own.X - enemy.X) * (own.X - enemy.X) + (own.Y - enemy.Y) * (own.Y - enemy.Y));
        Assert.InRange(there, straight - 10, 3 * straight);
        Assert.Equal(there, Distance(new RequestQueryPathing { StartPos = enemy, EndPos = own }), 1);
        Assert.Equal(there, Distance(new RequestQueryPathing { UnitTag = hall.Tag, EndPos = enemy }));
        Assert.InRange(Distance(new RequestQueryPathing { StartPos = own, EndPos = new Point2D { X = mineral.X, Y = mineral.Y } }), 1, 20);
        // A corner of the map is closed by the terrain, and nowhere near open ground.
        Assert.Equal(0, Distance(new RequestQueryPathing { StartPos = own, EndPos = new Point2D { X = 0.5f, Y = 0.5f } }));
        Assert.Equal(0, Distance(new RequestQueryPathing { StartPos = new Point2D { X = -1, Y = own.Y }, EndPos = enemy }));
    }

    private static GameQueries Queries(out byte[] observation)
    {
        var folder = SharedData.PathTo("observations", "2000AtmospheresAIE");
        observation = File.ReadAllBytes(Path.Combine(folder, "observation.binpb"));
        return new GameQueries(
            ResponseGameInfo.Parser.ParseFrom(File.ReadAllBytes(Path.Combine(folder, "game_info.binpb"))),
            ResponseData.Parser.ParseFrom(File.ReadAllBytes(SharedData.PathTo("observations", "game_data.binpb"))));
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
