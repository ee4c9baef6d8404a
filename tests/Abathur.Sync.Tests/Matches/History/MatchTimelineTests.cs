using Abathur.Sync.Matches.History;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Tests.Matches.History;

public class MatchTimelineTests
{
    private readonly MatchTimeline _timeline = new();

    [Fact]
    public void Add_EachLoop_HasARowAGameSecond()
    {
        for (var loop = 5u; loop < 100; loop++) Add(loop);
        var all = _timeline.After(0);
        Assert.Equal([5u, 27, 49, 71, 93], all.GameLoops);
        Assert.Equal([5f, 27, 49, 71, 93], Column("minerals"));
        Assert.Equal([2 * 5f + 1, 2 * 27 + 1, 2 * 49 + 1, 2 * 71 + 1, 2 * 93 + 1], Column("lost_minerals"));
        Assert.Equal(29, all.Columns.Count);
        Assert.All(all.Columns, column => Assert.Equal(5, column.Values.Count));
    }

    [Theory]
    [InlineData(26, new uint[] { 27, 49 })]
    [InlineData(27, new uint[] { 49 })]
    [InlineData(49, new uint[0])]
    [InlineData(0, new uint[] { 5, 27, 49 })]
    public void After_ALoop_HasTheLaterRows(uint after, uint[] expected)
    {
        for (var loop = 5u; loop < 60; loop++) Add(loop);
        Assert.Equal(expected, _timeline.After(after).GameLoops);
    }

    [Fact]
    public void Add_GameLoopGoesBack_ReplacesTheRowsFromThere()
    {
        for (var loop = 0u; loop < 100; loop++) Add(loop);
        Add(40);
        Assert.Equal([0u, 22], _timeline.After(0).GameLoops);
        Add(44);
        Assert.Equal([0u, 22, 44], _timeline.After(0).GameLoops);
        Add(0);
        Assert.Equal([0u], _timeline.After(0).GameLoops);
    }

    [Fact]
    public void Add_DamagedObservation_HasNoRow()
    {
        Publish(1, [0x0a, 0xff]);
        Add(2);
        Assert.Equal([2u], _timeline.After(0).GameLoops);
    }

    [Fact]
    public void Add_ALongMatch_IsBounded()
    {
        for (var row = 0u; row <= MatchTimeline.MaxRows; row++) Add(row * MatchTimeline.LoopsPerRow);
        var rows = _timeline.After(0).GameLoops;
        Assert.Equal((MatchTimeline.MaxRows / 2) + 1, rows.Count);
        Assert.Equal(MatchTimeline.MaxRows * MatchTimeline.LoopsPerRow, rows[^1]);
    }

    [Fact]
    public void After_TellsTheBytesOfItsValues_BeforeItCopiesThem()
    {
        for (var loop = 5u; loop < 100; loop++) Add(loop);
        var told = new List<long>();
        _timeline.After(0, told.Add);
        _timeline.After(71, told.Add);
        Assert.Equal([5 * 29 * 4L, 29 * 4], told);
        Assert.Throws<InvalidOperationException>(() => _timeline.After(0, _ => throw new InvalidOperationException()));
    }

    private Google.Protobuf.Collections.RepeatedField<float> Column(string name) =>
        _timeline.After(0).Columns.Single(column => column.Name == name).Values;

    private void Add(uint gameLoop) => Publish(
        gameLoop,
        new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = gameLoop,
                PlayerCommon = new PlayerCommon { Minerals = gameLoop },
                Score = new Score { ScoreDetails = new ScoreDetails { LostMinerals = new() { Army = 2 * gameLoop, Upgrade = 1 } } },
            },
        }.ToByteArray());

    [Fact]
    public void Add_EnemiesSeenAndLost_CountsThoseThatAreNotKnownToBeDead()
    {
        Look(0, Unit(1, Marine, Alliance.Enemy), Unit(2, Scv, Alliance.Enemy), Unit(3, CommandCenter, Alliance.Self));
        Look(22, Unit(4, Marine, Alliance.Enemy), Unit(5, CommandCenter, Alliance.Enemy), Unit(3, CommandCenter, Alliance.Self));
        // Out of sight; the structure is not there any more.
        Look(44, Unit(3, CommandCenter, Alliance.Self));
        Look(50, dead: [4], Unit(3, CommandCenter, Alliance.Self));
        Look(66, Unit(3, CommandCenter, Alliance.Self));
        Assert.Equal([50f, 100, 100, 50], Column("enemy_army_value"));
        Assert.Equal([1f, 2, 2, 1], Column("enemy_food_army"));
        Assert.Equal([1f, 1, 1, 1], Column("enemy_worker_count"));
        Assert.Equal([0f, 1, 0, 0], Column("enemy_base_count"));
        Assert.Equal([1f, 1, 1, 1], Column("base_count"));
    }

    [Fact]
    public void Add_DeathsCloseTogether_AreOneFight()
    {
        Unit[] units =
        [
            .. Enumerable.Range(1, 5).Select(tag => Unit((ulong)tag, Marine, tag < 3 ? Alliance.Self : Alliance.Enemy, x: 10 * tag)),
        ];
        Look(0, units);
        Look(30, dead: [1, 3], units[1], units[3], units[4]);
        Look(100, dead: [4], units[1], units[4]);
        // Later than a fight goes on: another one, too small to be told.
        Look(100 + MatchMarks.FightLoops + 1, dead: [5], units[1]);
        var fight = Assert.Single(_timeline.After(0).Marks);
        Assert.Equal(("fight", 30u, 100u, 50f, 100f), (fight.Kind, fight.GameLoop, fight.LastGameLoop, fight.OwnLost, fight.EnemyLost));
        Assert.Equal(80 / 3.0, fight.At.X, 0.01);
        Assert.Equal(20, fight.At.Y);
        Assert.Single(_timeline.After(99).Marks);
        Assert.Empty(_timeline.After(100).Marks);
    }

    [Fact]
    public void Add_UnitsThatComeBack_HaveNotDied()
    {
        Unit[] units = [.. Enumerable.Range(1, 8).Select(tag => Unit((ulong)tag, Marine, Alliance.Self))];
        Look(0, units);
        // Workers in a refinery are told as dead, and come out again.
        Look(30, dead: [1, 2, 3, 4], units[4..]);
        Assert.Equal(200, Assert.Single(_timeline.After(0).Marks).OwnLost);
        Look(62, units[1..]);
        Assert.Empty(_timeline.After(0).Marks);
        Look(90, dead: [5, 6, 7], [.. units[1..4], units[7]]);
        Assert.Equal(200, Assert.Single(_timeline.After(0).Marks).OwnLost);
    }

    [Fact]
    public void Add_BasesAndUpgrades_AreMarkedWhenTheyAppear()
    {
        var own = Unit(1, CommandCenter, Alliance.Self);
        Look(0, own);
        Look(22, own, Unit(2, CommandCenter, Alliance.Self, x: 40), Unit(3, CommandCenter, Alliance.Enemy, x: 90));
        Publish(44, Seen(44, [own], upgrades: [7]), []);
        Publish(66, Seen(66, [own], upgrades: [7, 8]), []);
        Assert.Equal(
            [("base", 22u, 18u), ("enemy_base", 22, 18), ("upgrade", 44, 7), ("upgrade", 66, 8)],
            _timeline.After(0).Marks.Select(mark => (mark.Kind, mark.GameLoop, mark.Id)));
    }

    [Fact]
    public void Add_BeginsLate_WhatIsThereIsNotMarked()
    {
        Publish(9000, Seen(9000, [Unit(1, CommandCenter, Alliance.Self)], upgrades: [7]), []);
        Publish(9022, Seen(9022, [Unit(1, CommandCenter, Alliance.Self)], upgrades: [7]), []);
        Assert.Empty(_timeline.After(0).Marks);
    }

    [Fact]
    public void Add_Chat_IsMarkedUpToALimit()
    {
        var longest = string.Concat(Enumerable.Repeat("\U0001F600", 300));
        Say(10, (1, "Tag:rush"), (2, longest));
        Say(20, [.. Enumerable.Repeat((2u, "spam"), MatchMarks.MaxMessages)]);
        Look(22, Unit(1, CommandCenter, Alliance.Self));
        Look(44, Unit(1, CommandCenter, Alliance.Self), Unit(2, CommandCenter, Alliance.Self, x: 40));
        var marks = _timeline.After(0).Marks;
        Assert.Equal(("chat", 10u, 1u, "Tag:rush"), (marks[0].Kind, marks[0].GameLoop, marks[0].Id, marks[0].Name));
        Assert.Equal(string.Concat(Enumerable.Repeat("\U0001F600", 255)), marks[1].Name);
        Assert.Equal(MatchMarks.MaxMessages, marks.Count(mark => mark.Kind == "chat"));
        Assert.Equal("base", marks[^1].Kind);
        // Back to before the flood: there is room again.
        Look(15, Unit(1, CommandCenter, Alliance.Self));
        Say(16, (1, "again"));
        Assert.Equal(["Tag:rush", longest[..510], "again"], _timeline.After(0).Marks.Select(mark => mark.Name));
    }

    private void Say(uint gameLoop, params (uint Player, string Text)[] said)
    {
        var chat = said.Select(each => new ChatReceived { PlayerId = each.Player, Message = each.Text });
        Publish(gameLoop, Seen(gameLoop, [], []), new ResponseObservation { Chat = { chat } }.ToByteArray());
    }

    private const uint Marine = 48, Scv = 45, CommandCenter = 18;

    private static Unit Unit(ulong tag, uint type, Alliance alliance, float x = 10) => new()
    {
        Tag = tag,
        UnitType = type,
        Alliance = alliance,
        DisplayType = DisplayType.Visible,
        Pos = new Point { X = x, Y = 20 },
    };

    private void Look(uint gameLoop, params Unit[] units) => Publish(gameLoop, Seen(gameLoop, units, []), []);

    private void Look(uint gameLoop, ulong[] dead, params Unit[] units)
    {
        var events = new ResponseObservation { Observation = new() { RawData = new() { Event = new() { DeadUnits = { dead } } } } };
        Publish(gameLoop, Seen(gameLoop, units, []), events.ToByteArray());
    }

    private static byte[] Seen(uint gameLoop, Unit[] units, uint[] upgrades) => new ResponseObservation
    {
        Observation = new()
        {
            GameLoop = gameLoop,
            RawData = new() { Player = new() { UpgradeIds = { upgrades } }, Units = { units } },
        },
    }.ToByteArray();

    private void Publish(uint gameLoop, byte[] observation) => Publish(gameLoop, observation, []);

    private void Publish(uint gameLoop, byte[] observation, byte[] events) => _timeline.Add(gameLoop, observation, events);
}
