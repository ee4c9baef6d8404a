using Abathur.Recordings;
using Abathur.Recordings.Files;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.Tests.Matches;
using Abathur.Sync.V1;
using Microsoft.Extensions.Logging.Abstractions;

namespace Abathur.Sync.Tests;

/// <summary>UTC is set by an hour in the middle of a match: what is measured, waited for and ordered goes by the monotonic clock.</summary>
public class ClockJumpTests
{
    private readonly ManualClock _clock = new();

    [Theory]
    [InlineData(-1)]
    [InlineData(1)]
    public async Task Recording_UtcIsSetMeanwhile_LogTimesGoOnByTheMonotonicClock(int hours)
    {
        using var folder = new TemporaryFolder();
        var run = new MatchRun(new HubOptions(), Abilities.NotWaiting, _clock);
        var started = _clock.GetUtcNow();
        await using (
            var recorder = new MatchRecorder(new OutputFile(folder.PathTo("match.mcap")), new RecordingOptions(), NullLogger.Instance))
        {
            var feed = new MatchFeed(new OneMatch(run), new MatchRecordings(recorder), _clock);
            feed.Begin(new Match(), default, default);
            for (var loop = 1u; loop <= 10; loop++)
            {
                if (loop == 5) _clock.UtcWasSet += TimeSpan.FromHours(hours);
                _clock.Advance(TimeSpan.FromSeconds(1));
                var observation = SharedBuffer.Rent();
                System.Buffers.BuffersExtensions.Write(observation, RecordingSample.Observation(loop));
                await feed.PublishAsync(observation, FrameStamp.Now(_clock));
            }
        }
        using var reader = RecordingReader.Open(folder.PathTo("match.mcap"));
        for (var loop = 1u; loop <= 10; loop++)
        {
            Assert.True(reader.ReadNext(out var frame));
            Assert.Equal((started + TimeSpan.FromSeconds(loop) - DateTimeOffset.UnixEpoch).Ticks * 100, frame.CapturedUnixNs);
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1)]
    public async Task StalledReader_UtcIsSetMeanwhile_IsEndedAfterTheStallTimeoutAndNotBefore(int hours)
    {
        var run = new MatchRun(new HubOptions(), Abilities.Waiting, _clock);
        run.Begin(new Match { MatchId = "jump" });
        using var reader = run.Subscribe(new SubscriptionOptions
        {
            Policy = Policy.Every,
            Encoding = Encoding.Proto,
            BufferFrames = 1,
            Transport = "test",
            Peer = "test",
        })!;
        await run.PublishAsync(Numbered(1));
        var waiting = run.PublishAsync(Numbered(2)).AsTask();
        _clock.UtcWasSet += TimeSpan.FromHours(hours);
        _clock.Advance(new HubOptions().StallTimeout - TimeSpan.FromMilliseconds(1));
        Assert.False(waiting.IsCompleted);
        _clock.Advance(TimeSpan.FromMilliseconds(2));
        await waiting.WaitAsync(TimeSpan.FromSeconds(20));
        Assert.Equal(SubscriptionEndReason.SlowConsumer, reader.End?.Reason);
    }

    private SharedFrame Numbered(uint loop)
    {
        var payload = SharedBuffer.Rent();
        System.Buffers.BuffersExtensions.Write(payload, RecordingSample.Observation(loop));
        return SharedFrame.Rent(loop, FrameStamp.Now(_clock), payload);
    }
}
