using System.Numerics;
using Abathur.Columns.Tables;
using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>What a bot's author writes without reading the documentation.</summary>
public class NaturalCallsTests
{
    private const uint Drone = 104, Queen = 126, Marine = 48;
    private static readonly uint[] Workers = [45, 84, Drone];
    private static readonly GameFrame Frame = GameFrame.From(Message(
        new Unit { Tag = 1, UnitType = Drone, Alliance = Alliance.Self, Health = 40, Pos = new Point { X = 10, Y = 20 } },
        new Unit { Tag = 2, UnitType = Queen, Alliance = Alliance.Self, Health = 9, Pos = new Point { X = 13, Y = 24 } },
        new Unit { Tag = 3, UnitType = Marine, Alliance = Alliance.Enemy, Health = 8, Pos = new Point { X = 50, Y = 50 } }));

    [Fact]
    public void Units_AreAListForLinq()
    {
        Assert.Equal(3, Frame.Units.Count);
        Assert.Equal([1ul, 2], Frame.Units.Where(alliance: Alliance.Self).ToList().Select(unit => unit.Tag));
        Assert.Equal([2ul, 3], Tags(Frame.Units.Where(unit => unit.Health < 10)));
        Assert.Equal([40f, 9, 8], Frame.Units.Select(unit => unit.Health));
        Assert.Equal([2ul, 1], Tags(Frame.Units.Where(Alliance.Self).OrderBy(unit => unit.Health)));
        Assert.Contains(Frame.Units, unit => unit.UnitType == Queen);
        Assert.Equal(49, Frame.Units.Where(Alliance.Self).Sum(unit => unit.Health));
        Assert.Equal(3ul, Frame.Units.MinBy(unit => unit.Health).Tag);
        Assert.Equal(2, Frame.Units.GroupBy(unit => unit.Alliance).Count());
        Assert.Equal(1ul, Assert.Single(Frame.Units.Where(Workers)).Tag);
        Assert.Equal([1ul, 2, 3], Tags(Frame.Units.ToArray()));
        var seen = 0;
        foreach (var unit in Frame.Units) seen += (int)unit.Tag;
        Assert.Equal(6, seen);
    }

    [Fact]
    public void First_ThrowsWhereFirstOrDefaultIsNull()
    {
        Assert.Equal(2ul, Frame.Units.Where(unitType: Queen).First().Tag);
        Assert.Null(Frame.Units.Where(Alliance.Neutral).FirstOrDefault());
        Assert.Contains("no unit", Assert.Throws<InvalidOperationException>(() => Frame.Units.Where(Alliance.Neutral).First()).Message,
            StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => Frame.Units.First(unit => unit.Health > 100));
        Assert.Null(Frame.Units.ByTag(7));
        Assert.Throws<ArgumentOutOfRangeException>(() => Frame.Units[3]);
        Assert.Throws<ArgumentOutOfRangeException>(() => Frame.Units[-1]);
    }

    [Fact]
    public void Unit_HasAPlaceAndAName()
    {
        var (drone, queen) = (Frame.Units[0], Frame.Units[1]);
        Assert.Equal(new Vector2(10, 20), drone.Position);
        Assert.Equal(5, drone.DistanceTo(queen));
        Assert.Equal(5, Vector2.Distance(drone.Position, queen.Position));
        Assert.Equal(queen, Frame.Units.Where(Alliance.Self).ClosestTo(50, 50));
        Assert.Null(Frame.Units.Where(Alliance.Neutral).ClosestTo(50, 50));
        Assert.Equal(("Drone", "Queen"), (drone.Name, queen.Name));
        Assert.Equal("4000000", GameFrame.From(Message(new Unit { Tag = 1, UnitType = 4_000_000 })).Units[0].Name);
        Assert.Equal("Queen 2 at (13.0, 24.0)", queen.ToString());
    }

    [Fact]
    public void Frame_HasTheTimeAndThePlayer()
    {
        var observation = new Observation { GameLoop = 2688, PlayerCommon = new PlayerCommon { Minerals = 50 } };
        var frame = GameFrame.From(new ResponseObservation { Observation = observation });
        Assert.Equal((TimeSpan.FromMinutes(2), 50u), (frame.Time, frame.Player.Minerals));
        Assert.Equal(0u, GameFrame.From(new ResponseObservation()).Player.Minerals);
    }

    [Fact]
    public void UnitsWithTheSameTag_AreEqual_AlsoOfOtherFrames()
    {
        var later = GameFrame.From(Message(new Unit { Tag = 2, UnitType = Queen, Health = 5 }));
        Assert.True(later.Units[0] == Frame.Units[1]);
        Assert.True(later.Units[0] != Frame.Units[0]);
        HashSet<UnitView> hurt = [.. Frame.Units.Where(unit => unit.Health < 10)];
        Assert.Contains(later.Units[0], hurt);
        Assert.Equal([Frame.Units[1]], Frame.Units.Intersect(later.Units));
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task GameThatIsDisposed_SaysSo(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "1000", "--start-paused");
        var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await game.Playback.StepAsync();
        await game.DisposeAsync();
        await game.DisposeAsync();
        Func<Task>[] calls =
        [
            () => game.StatusAsync(), () => game.MatchAsync("1"), () => game.MatchesAsync(), () => game.FrameAtAsync(0),
            () => game.DrawAsync([Draw.Circle(1, 2, 3)]), () => game.PlotAsync("a", 1), () => game.ActAsync([]),
            () => game.Playback.PauseAsync(), () => game.PublishAsync(),
            async () => await game.Frames().GetAsyncEnumerator().MoveNextAsync(),
        ];
        foreach (var call in calls)
        {
            var error = await Assert.ThrowsAsync<ObjectDisposedException>(call);
            Assert.Contains(nameof(AbathurGame), error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Frames_CanBeCancelledInTheMiddle(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "1000", "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await game.Playback.StepAsync();
        using var cancellation = new CancellationTokenSource();
        var frames = 0;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var frame in game.Frames(new SubscribeOptions { Newest = true }).WithCancellation(cancellation.Token))
            {
                frames++;
                await cancellation.CancelAsync();
            }
        });
        Assert.Equal(1, frames);
        Assert.True((await game.StatusAsync()).Playback.Paused);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Publisher_TakesObservationsAndActions_AndSaysWhenItIsDisposed(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("serve", "--once");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        var publisher = await game.PublishAsync();
        var observation = ResponseObservation.Parser.ParseFrom(CommittedRecording.Observations().First());
        await publisher.PublishAsync(observation);
        await publisher.PublishAsync(new RequestAction { Actions = { new SC2APIProtocol.Action() } });
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await publisher.PublishAsync((ResponseObservation)null!));
        Assert.Equal(1ul, await publisher.FinishAsync());
        await publisher.DisposeAsync();
        await publisher.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await publisher.PublishAsync(observation));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => publisher.FinishAsync());
    }

    [Fact]
    public void CodesOfRefusals_AreThoseOfTheWire()
    {
        var refusal = RequestException.OfRequest("INVALID_ARGUMENT", "no");
        Assert.Equal((RequestErrorCode.InvalidArgument, "no", "INVALID_ARGUMENT: no"), (refusal.Code, refusal.Reason, refusal.Message));
        Assert.Equal(refusal.Message, new RequestException(RequestErrorCode.InvalidArgument, "no").Message);
        var newer = RequestException.OfRequest("TOO_NEW", "no");
        Assert.Equal((RequestErrorCode.Unknown, "TOO_NEW: no"), (newer.Code, newer.Message));
        Assert.IsType<SourceLostException>(RequestException.OfSubscription("ABORTED", "gone"));
    }

    [Fact]
    public void FieldsOfUnits_AreColumnsWithTheSameNames()
    {
        var columns = typeof(UnitColumn).GetFields().ToDictionary(each => each.Name, each => (int)each.GetRawConstantValue()!);
        Assert.Equal(Enumerable.Range(0, columns.Count), columns.Values.Order());
        foreach (var field in Enum.GetValues<UnitField>())
        {
            if (field == UnitField.Position) Assert.Equal(columns[nameof(UnitColumn.Speed)], (int)field);
            else Assert.Equal(columns[field.ToString()], (int)field);
        }
    }

    private static ulong[] Tags(IEnumerable<UnitView> units) => [.. units.Select(unit => unit.Tag)];

    private static ResponseObservation Message(params Unit[] units) =>
        new() { Observation = new Observation { GameLoop = 5, RawData = new ObservationRaw { Units = { units } } } };
}
