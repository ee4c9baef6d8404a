using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;
using Attribute = SC2APIProtocol.Attribute;

namespace Abathur.Client.Tests;

/// <summary>Unit events beside dictionaries, on generated frames: tags that occur twice, blips, placeholders, other owners.</summary>
public class UnitEventsTests
{
    private const uint Marine = 48, Zergling = 105, Barracks = 21, KD8Charge = 830;

    [Fact]
    public void GeneratedFrames_HaveTheEventsOfAnOracle()
    {
        var progress = Gen.Elements(0f, 0.5f, 1f, 1.5f);
        var points = Gen.Elements(0f, 10f, 12.5f, 45f);
        var unit =
            from tag in Gen.Choose(1, 6)
            from type in Gen.Elements(Marine, Zergling, Barracks, KD8Charge)
            from alliance in Gen.Elements(Alliance.Self, Alliance.Ally, Alliance.Neutral, Alliance.Enemy)
            from display in Gen.Elements(DisplayType.Visible, DisplayType.Snapshot, DisplayType.Hidden, DisplayType.Placeholder)
            from isBlip in Gen.Frequency((4, Gen.Constant(false)), (1, Gen.Constant(true)))
            from health in points
            from shield in points
            from built in progress
            select new Unit
            {
                Tag = (ulong)tag,
                UnitType = type,
                Alliance = alliance,
                DisplayType = display,
                IsBlip = isBlip,
                Health = health,
                Shield = shield,
                BuildProgress = built,
            };
        var frame =
            from units in unit.ArrayOf().Resize(8)
            from dead in Gen.Choose(1, 7).ArrayOf().Resize(4)
            from alerts in Gen.Elements(Alert.NuclearLaunchDetected, Alert.BuildingUnderAttack).ArrayOf().Resize(2)
            from upgrades in Gen.Choose(1, 4).ArrayOf().Resize(3)
            select new ResponseObservation
            {
                Observation = new Observation
                {
                    Alerts = { alerts },
                    RawData = new ObservationRaw
                    {
                        Units = { units },
                        Event = new Event { DeadUnits = { dead.Select(tag => (ulong)tag) } },
                        Player = new PlayerRaw { UpgradeIds = { upgrades.Select(id => (uint)id) } },
                    },
                },
            };
        var frames = from all in frame.NonEmptyListOf() from first in Gen.Elements(1u, 223u, 224u, 5000u) select (all, first);
        Prop.ForAll(frames.ToArbitrary(), given =>
        {
            var (sequence, oracle) = (new FrameSequence(), new NaiveEvents());
            for (var i = 0; i < given.all.Count; i++)
            {
                var loop = given.first + (uint)i;
                var actual = sequence.Next(given.all[i].ToByteArray(), loop).Events.Select(NaiveEvents.Text).ToList();
                Assert.Equal(oracle.Next(given.all[i], loop), actual);
            }
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void FirstFrame_HasNoEvents()
    {
        var sequence = new FrameSequence();
        Assert.Empty(sequence.Next(Observation(new Unit { Tag = 1, UnitType = Marine, Alliance = Alliance.Self }), 1).Events);
    }

    [Fact]
    public void SkippedEvents_ComeBeforeThoseOfTheFrame()
    {
        var sequence = new FrameSequence();
        Unit[] units = [new() { Tag = 1, Alliance = Alliance.Enemy, UnitType = Marine }, new() { Tag = 2, UnitType = Marine }];
        Assert.Empty(sequence.Next(Observation(units), 1).Events);
        var skipped = new ResponseObservation
        {
            Observation = new Observation
            {
                Alerts = { Alert.NuclearLaunchDetected },
                RawData = new ObservationRaw { Event = new Event { DeadUnits = { 2 } } },
            },
        };
        var now = new ResponseObservation
        {
            Observation = new Observation
            {
                Alerts = { Alert.BuildingUnderAttack },
                RawData = new ObservationRaw { Event = new Event { DeadUnits = { 1, 2 } } },
            },
        };
        var events = sequence.Next(now.ToByteArray(), 9, skippedEvents: skipped).Events.Select(NaiveEvents.Text);
        string[] expected = ["UnitDestroyed 2", "UnitDestroyed 1", "EnemyUnitLeftVision 1"];
        Assert.Equal(
            [.. expected, $"Alert {Alert.NuclearLaunchDetected}", $"Alert {Alert.BuildingUnderAttack}"], events);
    }

    [Fact]
    public void GameLoopGoesBack_BeginsAgain()
    {
        var sequence = new FrameSequence();
        var marine = new Unit { Tag = 1, UnitType = Marine, Alliance = Alliance.Self };
        Assert.Empty(sequence.Next(Observation(), 100).Events);
        Assert.Equal("UnitCreated 1", NaiveEvents.Text(Assert.Single(sequence.Next(Observation(marine), 101).Events)));
        Assert.Empty(sequence.Next(Observation(), 50).Events);
        Assert.Equal("UnitCreated 1", NaiveEvents.Text(Assert.Single(sequence.Next(Observation(marine), 51).Events)));
    }

    [Fact]
    public void LateJoin_UnitsThatWereThereOrCarryAreNotCreated()
    {
        var sequence = new FrameSequence();
        var medivac = new Unit { Tag = 9, UnitType = 54, Alliance = Alliance.Self, Passengers = { new PassengerUnit { Tag = 2 } } };
        var worker = new Unit { Tag = 1, UnitType = 45, Alliance = Alliance.Self };
        Assert.Empty(sequence.Next(Observation(worker, medivac), 5000).Events);
        Assert.Empty(sequence.Next(Observation(medivac), 5001).Events);
        Unit[] back =
        [
            worker, medivac, new() { Tag = 2, UnitType = Marine, Alliance = Alliance.Self },
            new() { Tag = 3, UnitType = 45, Alliance = Alliance.Self, BuffIds = { 274 } },
            new() { Tag = 4, UnitType = Marine, Alliance = Alliance.Self },
        ];
        Assert.Equal("UnitCreated 4", NaiveEvents.Text(Assert.Single(sequence.Next(Observation(back), 5002).Events)));
    }

    [Fact]
    public void GameDataOfTheMatch_SaysWhatIsAStructure()
    {
        var data = new ResponseData { Units = { new UnitTypeData { UnitId = 60_000, Attributes = { Attribute.Structure } } } };
        var sequence = new FrameSequence(data);
        Assert.Empty(sequence.Next(Observation(), 1).Events);
        var unit = new Unit { Tag = 1, UnitType = 60_000, Alliance = Alliance.Self, BuildProgress = 0.5f };
        var each = Assert.Single(sequence.Next(Observation(unit), 2).Events);
        Assert.Equal((UnitEventKind.BuildingConstructionStarted, 1ul, 0), (each.Kind, each.Tag, each.Row));
    }

    private static byte[] Observation(params Unit[] units) =>
        new ResponseObservation { Observation = new Observation { RawData = new ObservationRaw { Units = { units } } } }.ToByteArray();
}
