using Abathur.Sync.Matches.Plots;
using Abathur.Sync.V1;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using PlotMessage = Abathur.Sync.V1.Plots;

namespace Abathur.Sync.Tests.Matches.Plots;

public class PlotBoardTests
{
    private readonly PlotBoard _board = new();

    [Fact]
    public void TryPlot_ValuesOfAgents_AreSeriesInOrder()
    {
        _board.Advance(10);
        Plot("b", ("army", 1));
        _board.Advance(20);
        Plot("a", ("threat", 2), ("army", 3));
        Plot("b", ("army", 4));
        Assert.Equal(["a army: 20=3", "a threat: 20=2", "b army: 10=1 20=4"], Shown());
    }

    [Fact]
    public void TryPlot_TwiceAtALoop_TheLastCounts()
    {
        _board.Advance(10);
        Plot("", ("army", 1), ("army", 2));
        Plot("", ("army", 3));
        Assert.Equal([" army: 10=3"], Shown());
    }

    [Fact]
    public void TryPlot_OfAnotherLoop_IsThereButNotLaterThanTheNewest()
    {
        _board.Advance(100);
        Plot("", 90, ("army", 1));
        Plot("", 80, ("army", 2));
        Assert.Equal(100u, Plot("", 400, ("army", 3))!.GameLoop);
        Assert.Equal([" army: 80=2 90=1 100=3"], Shown());
    }

    [Fact]
    public void Advance_GoesBack_RemovesLaterPoints()
    {
        foreach (var loop in new uint[] { 10, 20, 30 })
        {
            _board.Advance(loop);
            Plot("", ("army", loop));
        }
        _board.Advance(20);
        Assert.Equal([" army: 10=10 20=20"], Shown());
    }

    [Fact]
    public void Between_Loops_HasThePointsBetween()
    {
        foreach (var loop in new uint[] { 10, 20, 30, 40 })
        {
            _board.Advance(loop);
            Plot("", ("army", loop));
        }
        Assert.Equal([20u, 30], Assert.Single(_board.Between(10, 30).Series).GameLoops);
        var told = new List<long>();
        foreach (var (after, until) in new (uint, uint)[] { (10, 30), (0, uint.MaxValue), (40, 20) })
            _board.Between(after, until, told.Add);
        Assert.Equal([2 * 8L, 4 * 8, 0], told);
        Assert.Empty(_board.Between(40, uint.MaxValue).Series);
        Assert.Empty(_board.Between(uint.MaxValue, uint.MaxValue).Series);
    }

    [Fact]
    public void TryPlot_TooManySeriesOfAnAgent_AddsNothing()
    {
        for (var i = 0; i < PlotBoard.MaxSeriesOfAgent; i++) Plot("a", ($"s{i}", 1));
        Assert.Null(_board.TryPlot(Request("a", null, ("s1", 2), ("new", 2)), out var problem));
        Assert.Equal("more than 64 series of agent \"a\"", problem);
        Assert.Equal(1, _board.Between(0, uint.MaxValue).Series.Single(series => series.Name == "s1").Values.Single());
        Assert.NotNull(Plot("b", ("new", 2)));
    }

    [Fact]
    public void TryPlot_TooManySeriesOfAll_AddsNothing()
    {
        for (var i = 0; i < PlotBoard.MaxSeries; i++) Plot($"agent {i / PlotBoard.MaxSeriesOfAgent}", ($"s{i}", 1));
        Assert.Null(_board.TryPlot(Request("other", null, ("new", 2)), out var problem));
        Assert.Equal("more than 256 series of all agents", problem);
    }

    [Fact]
    public void TryPlot_ALongMatch_IsThinnedEvenly()
    {
        const uint Loops = 100_000;
        for (var loop = 1u; loop <= Loops; loop++)
        {
            _board.Advance(loop);
            Plot("", ("army", loop));
        }
        var series = Assert.Single(_board.Between(0, uint.MaxValue).Series);
        Assert.InRange(series.Values.Count, PlotSeries.MaxPoints / 2, PlotSeries.MaxPoints);
        Assert.Equal(series.GameLoops.Select(loop => (double)loop), series.Values);
        var steps = series.GameLoops.Zip(series.GameLoops.Skip(1), (one, next) => next - one).ToList();
        Assert.True(steps.Max() <= 3 * steps.Min(), $"{steps.Min()} to {steps.Max()}");
        Assert.InRange(series.GameLoops[^1], Loops - steps.Max(), Loops);
    }

    [Fact]
    public void TakeForRecording_GivesEachPointOnce()
    {
        Plot("", ("before", 1));
        Assert.True(_board.TakeForRecording().IsEmpty);
        _board.Advance(10);
        Plot("a", ("army", 1), ("threat", 2));
        _board.Advance(11);
        Plot("a", ("army", 3));
        var read = new PlotBoard(isRecorded: true);
        read.AddRecorded(_board.TakeForRecording().Span);
        Assert.Equal(["a army: 10=1 11=3", "a threat: 10=2"], Shown(read));
        Assert.All(read.Between(0, uint.MaxValue).Series, series => Assert.True(series.Recorded));
        Assert.True(_board.TakeForRecording().IsEmpty);
    }

    [Fact]
    public void TryPlot_NothingIsRecordedAnyMore_IsBounded()
    {
        _board.TakeForRecording();
        for (var i = 0; i < PlotBoard.MaxWaiting; i++) Assert.NotNull(Plot("", ("army", i)));
        Assert.Null(_board.TryPlot(Request("", null, ("army", 1)), out var problem));
        Assert.Contains("wait to be recorded", problem);
        Assert.False(_board.TakeForRecording().IsEmpty);
        Assert.NotNull(Plot("", ("army", 1)));
    }

    [Fact]
    public void AddRecorded_AnyBytes_IsBounded() => Prop.ForAll<byte[]>(bytes =>
    {
        var board = new PlotBoard(isRecorded: true);
        board.AddRecorded(bytes);
        return board.Between(0, uint.MaxValue).Series.Count <= PlotBoard.MaxSeries;
    }).QuickCheckThrowOnFailure();

    [Fact]
    public void AddRecorded_InvalidPoints_AreOmitted()
    {
        var message = new PlotMessage
        {
            Series =
            {
                new PlotMessage.Types.Series { Name = "bad", GameLoops = { 1, 2 }, Values = { double.NaN, 5 } },
                new PlotMessage.Types.Series { Name = "short", GameLoops = { 1, 2 }, Values = { 7 } },
                new PlotMessage.Types.Series { Name = "", GameLoops = { 1 }, Values = { 1 } },
                new PlotMessage.Types.Series { Name = new string('n', 65), GameLoops = { 1 }, Values = { 1 } },
            },
        };
        _board.AddRecorded(message.ToByteArray());
        Assert.Equal([" bad: 2=5", " short: 1=7"], Shown());
    }

    [Theory]
    [InlineData("", 1, "values[0].name has 0 characters; 1 to 64 are allowed")]
    [InlineData("x", double.NaN, "values[0].value of \"x\" is NaN; only finite numbers are allowed")]
    [InlineData("x", double.PositiveInfinity, "values[0].value of \"x\" is Infinity; only finite numbers are allowed")]
    [InlineData("x", -1e308, null)]
    public void Problem_OfAValue_IsTold(string name, double value, string? problem) =>
        Assert.Equal(problem, PlotRules.Problem(Request("", null, (name, value))));

    [Fact]
    public void Problem_OfARequest_IsTold()
    {
        Assert.Equal("0 values at once; 1 to 64 are allowed", PlotRules.Problem(Request("", null)));
        Assert.Equal("agent has 65 characters; at most 64 are allowed", PlotRules.Problem(Request(new string('a', 65), null, ("x", 1))));
    }

    private PlotResult? Plot(string agent, params (string Name, double Value)[] values) =>
        _board.TryPlot(Request(agent, null, values), out _);

    private PlotResult? Plot(string agent, uint gameLoop, params (string Name, double Value)[] values) =>
        _board.TryPlot(Request(agent, gameLoop, values), out _);

    private static PlotRequest Request(string agent, uint? gameLoop, params (string Name, double Value)[] values)
    {
        var request = new PlotRequest { Agent = agent };
        if (gameLoop is { } loop) request.GameLoop = loop;
        request.Values.AddRange(values.Select(each => new PlotRequest.Types.Sample { Name = each.Name, Value = each.Value }));
        return request;
    }

    private List<string> Shown(PlotBoard? board = null) =>
    [
        .. (board ?? _board).Between(0, uint.MaxValue).Series.Select(series =>
            $"{series.Agent} {series.Name}: {string.Join(" ", series.GameLoops.Zip(series.Values, (loop, value) => $"{loop}={value}"))}"),
    ];
}
