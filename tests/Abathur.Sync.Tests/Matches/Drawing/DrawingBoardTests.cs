using Abathur.Sync.Matches.Drawing;
using Abathur.Sync.V1;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;

namespace Abathur.Sync.Tests.Matches.Drawing;

public class DrawingBoardTests
{
    private readonly DrawingBoard _board = new();

    [Fact]
    public void TryDraw_AgainOnALayer_TakesThePlaceOfWhatHasNoLifetime()
    {
        _board.Advance(100);
        _board.TryDraw(Request("army", Text("old"), Text("stays", lifetime: 10)));
        _board.TryDraw(Request("scout", Text("other")));

        var result = _board.TryDraw(Request("army", Text("new")));

        Assert.Equal((100u, 3u), (result!.GameLoop, result.Shapes));
        Assert.Equal(["army: stays until 110, new", "scout: other"], Shown());
    }

    [Fact]
    public void TryDraw_WithoutShapes_ClearsTheLayer()
    {
        _board.TryDraw(Request("army", Text("a"), Text("b", lifetime: 10)));
        _board.TryDraw(Request("scout", Text("c")));

        Assert.Equal(1u, _board.TryDraw(Request("army"))!.Shapes);

        Assert.Equal(["scout: c"], Shown());
    }

    [Fact]
    public void Advance_LifetimeIsOver_ShapeGoesAtThatVeryLoop()
    {
        var changes = 0;
        _board.Advance(10);
        _board.TryDraw(Request("", Text("a", lifetime: 5)));
        _board.Changed += () => changes++;

        _board.Advance(14);
        Assert.Equal([": a until 15"], Shown());
        Assert.Equal(0, changes);
        _board.Advance(15);
        Assert.Empty(Shown());
        Assert.Equal(1, changes);
    }

    [Fact]
    public void TryDraw_OfAnEarlierFrame_LifetimeCountsFromThere()
    {
        _board.Advance(100);
        var late = Request("", Text("over already", lifetime: 5), Text("still", lifetime: 20));
        late.GameLoop = 90;

        Assert.Equal((90u, 1u), (_board.TryDraw(late)!.GameLoop, (uint)Shown().Count));
        Assert.Equal([": still until 110"], Shown());
    }

    [Fact]
    public void Advance_PlaybackGoesBack_WhatWasDrawnLaterIsNotThereYet()
    {
        _board.Advance(100);
        _board.TryDraw(Request("", Text("early", lifetime: 1000)));
        _board.Advance(200);
        _board.TryDraw(Request("", Text("late", lifetime: 1000)));

        _board.Advance(150);

        Assert.Equal([": early until 1100"], Shown());
    }

    [Fact]
    public void TryDraw_MoreThanTheBoardHolds_IsRefusedAndNothingChanges()
    {
        var shapes = Enumerable.Repeat(Text("x"), 1000).ToArray();
        for (var i = 0; i < DrawingBoard.MaxShapes / 1000; i++) Assert.NotNull(_board.TryDraw(Request($"layer {i}", shapes)));
        var version = _board.Version;

        Assert.Null(_board.TryDraw(Request("one more", Text("y"))));
        Assert.Equal(version, _board.Version);
        // In place of others there is room.
        Assert.NotNull(_board.TryDraw(Request("layer 0", shapes)));
    }

    [Fact]
    public void TryDraw_TooManyLayers_IsRefused()
    {
        for (var i = 0; i < DrawingBoard.MaxLayers; i++) Assert.NotNull(_board.TryDraw(Request($"{i}", Text("x"))));

        Assert.Null(_board.TryDraw(Request("one more", Text("x"))));
        Assert.NotNull(_board.TryDraw(Request("1", Text("y"))));
    }

    [Fact]
    public void ShowRecorded_BesidesWhatIsDrawnNow()
    {
        var army = new Drawings.Types.Layer { Name = "army" };
        army.Shapes.Add(new Drawings.Types.Drawn { Shape = Text("then") });
        army.Shapes.Add(new Drawings.Types.Drawn { Shape = new Shape() });
        var recorded = new Drawings { Layers = { army } };
        _board.TryDraw(Request("army", Text("now")));

        _board.ShowRecorded(recorded.ToByteArray());

        Assert.Equal(["army (recorded): then", "army: now"], Shown());
    }

    [Theory]
    [InlineData("0A")]
    [InlineData("FFFFFF")]
    public void ShowRecorded_Damaged_ShowsNothing(string hex)
    {
        _board.ShowRecorded(Convert.FromHexString(hex));
        Assert.Empty(Shown());
    }

    [Fact]
    public void Any_RequestsAndLoops_CountsAndBoundsHold() =>
        Check.One(Config.QuickThrowOnFailure, Prop.ForAll<(byte Layer, byte Shapes, byte Lifetime, byte Forward)[]>(steps =>
    {
        var board = new DrawingBoard();
        var (loop, version) = (0u, 0L);
        foreach (var (layer, shapes, lifetime, forward) in steps)
        {
            board.Advance(loop += forward);
            var result = board.TryDraw(Request($"{layer % 4}", [.. Enumerable.Range(0, shapes).Select(i => Text($"{i}", lifetime))]));
            var drawings = board.Read(out var now);
            Assert.True(now >= version);
            version = now;
            var all = drawings.Layers.SelectMany(each => each.Shapes).ToList();
            if (result is not null) Assert.Equal((uint)all.Count, result.Shapes);
            Assert.True(all.Count <= DrawingBoard.MaxShapes);
            Assert.All(all, drawn => Assert.True(!drawn.HasUntilGameLoop || drawn.UntilGameLoop > loop));
            Assert.All(drawings.Layers, each => Assert.NotEmpty(each.Shapes));
        }
    }));

    [Theory]
    [InlineData("""{"shapes":[{}]}""", "shapes[0]: expected one of point, circle, line, text")]
    [InlineData("""{"shapes":[{"point":{}}]}""", "shapes[0]: point.at is missing")]
    [InlineData("""{"shapes":[{"point":{"at":{"x":"NaN"}}}]}""", "shapes[0]: point.at is not within 10000 cells")]
    [InlineData("""{"shapes":[{"point":{"at":{"z":"Infinity"}}}]}""", "shapes[0]: point.at is not within 10000 cells")]
    [InlineData("""{"shapes":[{"circle":{"at":{}}}]}""", "shapes[0]: circle.radius 0 is not more than 0 and at most 10000")]
    [InlineData("""{"shapes":[{"line":{"from":{}}}]}""", "shapes[0]: line.to is missing")]
    [InlineData("""{"shapes":[{"text":{"at":{}}}]}""", "shapes[0]: text.text has 0 characters; 1 to 200 are allowed")]
    [InlineData("""{"shapes":[{"point":{"at":{}},"color":16777216}]}""", "shapes[0]: color 0x1000000 is not 0xRRGGBB")]
    [InlineData(
        """{"shapes":[{"point":{"at":{}},"lifetimeGameLoops":100001}]}""",
        "shapes[0]: lifetime_game_loops is 100001; at most 100000 are allowed")]
    [InlineData("""{"shapes":[{"point":{"at":{}}},{"point":{"at":{}},"color":0,"lifetimeGameLoops":100000}]}""", null)]
    public void Problem_SaysWhereAndWhatWouldBeRight(string request, string? problem) =>
        Assert.Equal(problem, DrawingRules.Problem(DrawRequest.Parser.ParseJson(request)));

    private static DrawRequest Request(string layer, params Shape[] shapes) => new() { Layer = layer, Shapes = { shapes } };

    private static Shape Text(string text, uint lifetime = 0) =>
        new()
        {
            Text = new Shape.Types.Text { At = new Shape.Types.Position { X = 1, Y = 2 }, Text_ = text },
            LifetimeGameLoops = lifetime,
        };

    private List<string> Shown() =>
    [
        .. _board.Read(out _).Layers.Select(layer => $"{layer.Name}{(layer.Recorded ? " (recorded)" : "")}: "
            + string.Join(
                ", ",
                layer.Shapes.Select(drawn => drawn.Shape.Text.Text_ + (drawn.HasUntilGameLoop ? $" until {drawn.UntilGameLoop}" : "")))),
    ];
}
