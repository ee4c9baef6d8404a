using Abathur.Recordings;
using Abathur.Recordings.Files;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Matches.Recording;
using Microsoft.Extensions.Logging.Abstractions;

namespace Abathur.Sync.Tests.Matches.Recording;

/// <summary>Where the recordings of successive matches lie.</summary>
public sealed class MatchRecordingsTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("../../etc/passwd", "_.--.--etc-passwd.mcap")]
    [InlineData("CON", "_CON.mcap")]
    [InlineData("", "_.mcap")]
    [InlineData(".hidden", "_.hidden.mcap")]
    [InlineData("a/b\\c:d*e", "a-b-c-d-e.mcap")]
    [InlineData("Acropolis LE", "Acropolis LE.mcap")]
    public void ToName_OfAText_IsTheNearestAllowedOne(string text, string name) => Assert.Equal(name, RecordingFolder.ToName(text));

    [Fact]
    public async Task TwoDaemons_ThatRecordTheSameMatchIntoOneFolder_HaveAFileEach()
    {
        await using var one = Recordings("{map}");
        await using var other = Recordings("{map}");
        string[] places = [Begin(one), Begin(other), Begin(one)];
        Assert.Equal(["Map.mcap", "Map-2.mcap", "Map-3.mcap"], places.Select(Path.GetFileName));
    }

    [Fact]
    public async Task Totals_OverSuccessiveMatches_NeverFall()
    {
        await using var recordings = Recordings("{map}");
        ulong before = 0;
        for (var match = 1u; match <= 3; match++)
        {
            var recorder = recordings.Begin(new RecordingMatch { MatchId = "m", MapName = "Map" }, null, out _)!;
            for (var loop = 1u; loop <= match; loop++)
            {
                var buffer = SharedBuffer.CopyOf(RecordingSample.Observation(loop));
                recorder.AddObservation(loop, loop, buffer);
                buffer.Release();
                Assert.InRange(recordings.Totals.Frames, before, before + loop);
            }
            var ended = new TaskCompletionSource();
            recordings.End(recorder, _ => ended.SetResult());
            await ended.Task.WaitAsync(TimeSpan.FromSeconds(30));
            before += match;
            Assert.Equal((before, 0ul), recordings.Totals);
        }
    }

    private static string Begin(MatchRecordings recordings) =>
        recordings.Begin(new RecordingMatch { MatchId = "m", MapName = "Map" }, null, out _)!.Status.Path;

    private MatchRecordings Recordings(string pattern) => new(
        RecordingNames.For(_folder.PathTo("all") + Path.DirectorySeparatorChar, pattern), new OutputOptions(), new RecordingOptions(),
        NullLogger.Instance, TimeProvider.System);
}
