using Abathur.Sync.Frames;
using Abathur.Sync.History;
using Google.Protobuf;
using SC2APIProtocol;
using Frame = Abathur.Sync.Frames.Frame;

namespace Abathur.Sync.Tests.History;

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
        Assert.Equal(24, all.Columns.Count);
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

    private void Publish(uint gameLoop, byte[] observation)
    {
        var buffer = SharedBuffer.Rent(observation.Length);
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        var frame = Frame.Rent(gameLoop, default, buffer);
        _timeline.Add(frame);
        frame.Release();
    }
}
