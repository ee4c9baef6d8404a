using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Recordings.Conversion;
using SC2APIProtocol;

namespace Abathur.Client.Testing.Tests;

public class RecordingTests
{
    private static readonly List<ResponseObservation> Expected =
        [.. CommittedRecording.Observations().Select(bytes => ResponseObservation.Parser.ParseFrom(bytes))];

    [Fact]
    public void Frames_AreTheObservationsInOrder()
    {
        using var recording = Recording.Open(CommittedRecording.Path);
        var frames = 0;
        foreach (var frame in recording.Frames())
        {
            Assert.Equal(Expected[frames], frame.Response);
            Assert.Equal(Expected[frames].Observation.GameLoop, frame.GameLoop);
            Assert.Equal((ulong)++frames, frame.Sequence);
            Assert.Null(frame.SkippedEvents);
        }
        Assert.Equal(Expected.Count, frames);
        Assert.Equal(
            ("Synthetic LE", (ulong)frames, Expected[0].Observation.GameLoop, true),
            (recording.Match.MapName, recording.Match.FrameCount, recording.Match.FirstGameLoop, recording.Match.Simulated));
        Assert.NotNull(recording.Match.GameInfo);
    }

    [Fact]
    public void CompactRecording_HasTheSameFrames()
    {
        using var folder = new TemporaryFolder();
        var path = Path.Combine(folder.Path, "compact.mcap");
        using (var reader = RecordingReader.Open(CommittedRecording.Path))
        using (var output = File.Create(path))
            RecordingRewriter.Rewrite(reader, output, new RecordingOptions { Compact = true });
        using var full = Recording.Open(CommittedRecording.Path);
        using var compact = Recording.Open(path);
        foreach (var (expected, frame) in full.Frames(every: 7).Zip(compact.Frames(every: 7)))
        {
            Assert.Equal(InOrderOfTags(expected.Response), InOrderOfTags(frame.Response));
            Assert.Equal((expected.GameLoop, expected.Sequence), (frame.GameLoop, frame.Sequence));
            Assert.Equal(expected.SkippedEvents, frame.SkippedEvents);
        }
        Assert.Equal(full.Frames(every: 7).Count(), compact.Frames(every: 7).Count());
        Assert.Equal(full.Match, compact.Match);
    }

    [Fact]
    public void StartStopEvery_SelectFrames()
    {
        using var recording = Recording.Open(CommittedRecording.Path);
        Assert.Equal(
            Expected.Select(each => each.Observation.GameLoop).Where(loop => loop is >= 9000 and < 9050 && (loop - 9000) % 8 == 0),
            recording.Frames(9000, 9050, 8).Select(frame => frame.GameLoop));
        Assert.Equal(9001u, recording.Frames(9001).First().GameLoop);
        Assert.Empty(recording.Frames(4_000_000));
    }

    [Theory]
    [InlineData(8)]
    [InlineData(1000)]
    public void Every_GivesTheLastFrameToo(uint every)
    {
        using var recording = Recording.Open(CommittedRecording.Path);
        Assert.Equal(Expected[^1].Observation.GameLoop, recording.Frames(every: every).Last().GameLoop);
    }

    [Fact]
    public void Every_GivesWhatHappenedBetween()
    {
        using var recording = Recording.Open(CommittedRecording.Path);
        var dead = new List<ulong>();
        foreach (var frame in recording.Frames(every: 22))
        {
            dead.AddRange(frame.SkippedEvents?.Observation?.RawData?.Event?.DeadUnits ?? []);
            dead.AddRange(frame.Observation.RawData.Event?.DeadUnits ?? []);
        }
        var all = Expected.SelectMany(each => (IEnumerable<ulong>?)each.Observation.RawData.Event?.DeadUnits ?? []).ToList();
        Assert.Equal(all.Take(dead.Count), dead);
        Assert.InRange(dead.Count, 1, all.Count);
    }

    [Fact]
    public void KeptFrame_StaysValid()
    {
        using var recording = Recording.Open(CommittedRecording.Path);
        var kept = new List<GameFrame>();
        foreach (var frame in recording.Frames(stop: 8970))
        {
            _ = frame.Events;
            kept.Add(frame.Clone());
            Assert.Null(kept[^1].SkippedEvents);
        }
        for (var i = 0; i < kept.Count; i++)
        {
            Assert.Equal(Expected[i], kept[i].Response);
            Assert.Equal(Expected[i].Observation.RawData.Units.Select(unit => unit.Health), kept[i].Units.Health.ToArray());
        }
    }

    [Fact]
    public void FileThatIsNoRecording_IsRefused()
    {
        using var folder = new TemporaryFolder();
        var path = Path.Combine(folder.Path, "no.mcap");
        File.WriteAllText(path, "no recording");
        Assert.Throws<McapException>(() => Recording.Open(path));
        Assert.Throws<RecordingException>(() => Recording.Open(path + ".not.there"));
    }

    // Columns do not keep the order of the units.
    private static ResponseObservation InOrderOfTags(ResponseObservation response)
    {
        var ordered = response.Clone();
        ordered.Observation.RawData.Units.Clear();
        ordered.Observation.RawData.Units.AddRange(response.Observation.RawData.Units.OrderBy(unit => unit.Tag));
        return ordered;
    }
}
