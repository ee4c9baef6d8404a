using Abathur.Client.Testing;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>A frame says so when the next one has taken its memory.</summary>
public class FrameValidityTests
{
    private static readonly SubscribeOptions Columns = new()
    {
        Policy = SubscribePolicy.Every,
        Encoding = FrameEncoding.Columns,
        Compression = FrameCompression.ZstdStream,
        MaxFrames = 3,
    };

    private static readonly string[] Play =
        ["play", CommittedRecording.Path, "--rate", "unlimited", "--loop", "--wait-agents", "1"];

    [Theory]
    [InlineData(FrameEncoding.Columns, FrameCompression.ZstdStream)]
    [InlineData(FrameEncoding.Proto, FrameCompression.None)]
    [InlineData(FrameEncoding.Json, FrameCompression.None)]
    public async Task FrameThatIsKept_ThrowsUntilItIsCloned(FrameEncoding encoding, FrameCompression compression)
    {
        using var daemon = await DaemonProcess.StartAsync(Play);
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        var options = Columns with { Encoding = encoding, Compression = compression };
        var (kept, clones, units) = (new List<GameFrame>(), new List<GameFrame>(), new List<UnitView>());
        await foreach (var frame in game.Frames(options))
        {
            kept.Add(frame);
            clones.Add(frame.Clone());
            units.Add(frame.Units[0]);
        }
        Assert.Equal(3, kept.Count);
        foreach (var stale in kept.Take(2))
        {
            var error = Assert.Throws<InvalidOperationException>(() => stale.Units.Count);
            Assert.Contains("frame.Clone()", error.Message, StringComparison.Ordinal);
            Assert.Throws<InvalidOperationException>(() => stale.GameLoop);
            Assert.Throws<InvalidOperationException>(() => stale.Response);
            Assert.Throws<InvalidOperationException>(() => stale.Events);
            Assert.Throws<InvalidOperationException>(() => stale.Grids.Creep.Width);
            Assert.Throws<InvalidOperationException>(() => stale.Clone());
            Assert.Equal("frame that is not valid any more", stale.ToString());
        }
        Assert.Throws<InvalidOperationException>(() => units[0].Health);
        Assert.Throws<InvalidOperationException>(() => units[0].Orders);
        Assert.Equal(clones[0].Units.ByTag(units[0].Tag)!.Value, units[0]);
        Assert.Equal(3, clones.Select(frame => frame.GameLoop).Distinct().Count());
        Assert.All(clones, frame => Assert.Equal(frame.GameLoop, frame.Observation.GameLoop));
        Assert.All(clones, frame => Assert.NotEmpty(frame.Units));
    }

#if NET10_0_OR_GREATER
    [Fact]
    public async Task ToListAsync_GivesFramesThatSayWhatToWrite()
    {
        using var daemon = await DaemonProcess.StartAsync(Play);
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        var list = await game.Frames(Columns).Take(3).ToListAsync();
        Assert.Throws<InvalidOperationException>(() => list[0].Units);
        Assert.NotEmpty(list[2].Units);
        var clones = await game.Frames(Columns).Select(frame => frame.Clone()).Take(3).ToListAsync();
        Assert.Equal(3, clones.Select(frame => frame.GameLoop).Distinct().Count());
    }
#endif

    [Fact]
    public void FramesOfARecording_SayTheSame()
    {
        using var recording = Recording.Open(CommittedRecording.Path);
        var frames = recording.Frames().Take(3).ToList();
        Assert.Throws<InvalidOperationException>(() => frames[1].Units);
        Assert.NotEmpty(frames[2].Units);
    }

    [Fact]
    public void ColumnsThatAreKept_ThrowAlsoBeforeTheUnitsOfTheNextFrameAreRead()
    {
        var sequence = new FrameSequence();
        var units = sequence.Next(Observation(10), 10).Units;
        var (orders, health) = (units.Orders, units.Health[0]);
        Assert.Equal(10, health);
        sequence.Next(Observation(20), 20);
        Assert.Throws<InvalidOperationException>(() => units.Health.Length);
        Assert.Throws<InvalidOperationException>(() => units.ByTag(1));
        Assert.Throws<InvalidOperationException>(() => orders.Count);
        Assert.Throws<InvalidOperationException>(() => units.Where().Count());
    }

    [Fact]
    public void DefaultsOfTheTypes_SayThatNothingWasFound()
    {
        Assert.Contains("no unit was found", Assert.Throws<InvalidOperationException>(() => default(GameFrame).Units).Message,
            StringComparison.Ordinal);
        Assert.Contains("no unit was found", Assert.Throws<InvalidOperationException>(() => default(UnitView).Health).Message,
            StringComparison.Ordinal);
        Assert.Equal(default, GameFrame.From(Message(1)).Units.FirstOrDefault(unit => unit.Health > 100));
    }

    [Fact]
    public void Observation_IsAnEmptyOneWhereThereIsNone_AndTheResponseStaysAsItIs()
    {
        var frame = GameFrame.From(new ResponseObservation());
        Assert.Equal(new Observation(), frame.Observation);
        Assert.Null(frame.Response.Observation);
        Assert.Null(frame.Rest.Observation);
    }

    private static ResponseObservation Message(float health) => new()
    {
        Observation = new Observation { RawData = new ObservationRaw { Units = { new Unit { Tag = 1, Health = health } } } },
    };

    private static byte[] Observation(float health) => Message(health).ToByteArray();
}
