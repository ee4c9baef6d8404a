using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Sources.Playback;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Sources.Playback;

public sealed class PlaybackSourceTests : IDisposable
{
    private const uint First = 1000;
    private const uint Count = 64;
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private readonly TemporaryFolder _folder = new();
    private readonly ManualClock _clock = new();
    private readonly string _path;

    public PlaybackSourceTests()
    {
        _path = _folder.PathTo("match.mcap");
        using var writer = RecordingWriter.Create(
            _path, RecordingSample.Match, new RecordingOptions { Compression = McapCompression.None, ChunkSizeBytes = 4096 });
        for (var loop = First; loop < First + Count; loop++) writer.WriteObservation(loop, 0, RecordingSample.Observation(loop));
        writer.Close();
    }

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Run_Unlimited_PublishesEveryFrameByteForByteAndEnds()
    {
        await using var playing = Play(new PlaybackOptions { Rate = 0 });
        for (var loop = First; loop < First + Count; loop++)
            Assert.Equal(RecordingSample.Observation(loop), (await playing.NextAsync()).Bytes);
        Assert.Equal(new(SubscriptionEndReason.MatchOver, "end of recording"), await playing.Run.WaitAsync(Limit));
        Assert.True(playing.Source.State.Ended);
    }

    [Fact]
    public async Task Run_AtTickRate_PublishesOneFramePerTick()
    {
        await using var playing = Play(new PlaybackOptions { TickHz = 16 });
        Assert.Equal(First, (await playing.NextAsync()).GameLoop);
        for (var loop = First + 1; loop < First + 20; loop++)
        {
            await Playing.UntilWaitingAsync(_clock);
            _clock.Advance(TimeSpan.FromSeconds(1 / 16.0) - TimeSpan.FromMilliseconds(2));
            Assert.False(playing.HasFrame);
            _clock.Advance(TimeSpan.FromMilliseconds(2));
            Assert.Equal(loop, (await playing.NextAsync()).GameLoop);
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1)]
    public async Task Run_UtcIsSetByAnHour_TicksGoOn(int hours)
    {
        await using var playing = Play(new PlaybackOptions { TickHz = 16 });
        Assert.Equal(First, (await playing.NextAsync()).GameLoop);
        for (var loop = First + 1; loop < First + 20; loop++)
        {
            await Playing.UntilWaitingAsync(_clock);
            if (loop == First + 10) _clock.UtcWasSet += TimeSpan.FromHours(hours);
            _clock.Advance(TimeSpan.FromSeconds(1 / 16.0) - TimeSpan.FromMilliseconds(2));
            Assert.False(playing.HasFrame);
            _clock.Advance(TimeSpan.FromMilliseconds(2));
            Assert.Equal(loop, (await playing.NextAsync()).GameLoop);
        }
    }

    [Fact]
    public async Task Control_StartPausedStepSeekResume_DoesWhatItSays()
    {
        await using var playing = Play(new PlaybackOptions { Rate = 0, StartPaused = true });
        var state = await playing.ControlAsync(new() { Step = new() { Frames = 2 } });
        Assert.True(state.Paused);
        Assert.Equal(First, (await playing.NextAsync()).GameLoop);
        Assert.Equal(First + 1, (await playing.NextAsync()).GameLoop);
        Assert.False(playing.HasFrame);

        await playing.ControlAsync(new() { Seek = new() { GameLoop = First + 50 } });
        Assert.False(playing.HasFrame);
        await playing.ControlAsync(new() { Step = new() });
        Assert.Equal(First + 50, (await playing.NextAsync()).GameLoop);

        await playing.ControlAsync(new() { Seek = new() { GameLoop = 0 } });
        state = await playing.ControlAsync(new() { Resume = new() });
        Assert.False(state.Paused);
        Assert.Equal(First, (await playing.NextAsync()).GameLoop);
    }

    [Fact]
    public async Task Control_Pause_StopsTheClock()
    {
        await using var playing = Play(new PlaybackOptions { TickHz = 16 });
        await playing.NextAsync();
        Assert.True((await playing.ControlAsync(new() { Pause = new() })).Paused);
        _clock.Advance(TimeSpan.FromMinutes(1));
        Assert.False(playing.HasFrame);
        Assert.Equal(First, playing.Source.State.GameLoop);
    }

    [Fact]
    public async Task Control_NonsenseAndOutOfRange_IsRefusedWithTheReason()
    {
        await using var playing = Play(new PlaybackOptions { StartPaused = true });
        var late = await Assert.ThrowsAsync<PlaybackException>(
            () => playing.ControlAsync(new() { Seek = new() { GameLoop = First + Count } }));
        Assert.Equal(PlaybackRefusal.OutOfRange, late.Reason);
        Assert.Equal("game loop 1064 is after the last, 1063", late.Message);
        var rate = await Assert.ThrowsAsync<PlaybackException>(() => playing.ControlAsync(new() { SetRate = new() { Rate = double.NaN } }));
        Assert.Equal(PlaybackRefusal.Invalid, rate.Reason);
        await Assert.ThrowsAsync<PlaybackException>(() => playing.ControlAsync(new ControlRequest()));
    }

    [Fact]
    public async Task Control_AfterTheEnd_IsRefused()
    {
        await using var playing = Play(new PlaybackOptions { Rate = 0 });
        for (var i = 0; i < Count; i++) await playing.NextAsync();
        await playing.Run.WaitAsync(Limit);
        await Assert.ThrowsAsync<PlaybackException>(() => playing.ControlAsync(new() { Pause = new() }).WaitAsync(Limit));
    }

    [Fact]
    public async Task Control_SetLoop_DecidesWhatTheEndIs()
    {
        await using var playing = Play(new PlaybackOptions { StartPaused = true });
        Assert.False(playing.Source.State.Loop);
        Assert.True((await playing.ControlAsync(new() { SetLoop = new() { Loop = true } })).Loop);
        await playing.ControlAsync(new() { Seek = new() { GameLoop = First + Count - 1 } });
        await playing.ControlAsync(new() { Step = new() { Frames = 2 } });
        Assert.Equal(First + Count - 1, (await playing.NextAsync()).GameLoop);
        Assert.Equal(First, (await playing.NextAsync()).GameLoop);

        await playing.ControlAsync(new() { SetLoop = new() });
        await playing.ControlAsync(new() { Seek = new() { GameLoop = First + Count - 1 } });
        await playing.ControlAsync(new() { Step = new() });
        Assert.Equal(First + Count - 1, (await playing.NextAsync()).GameLoop);
        Assert.Equal("end of recording", (await playing.Run.WaitAsync(Limit)).Message);
        Assert.False(playing.Source.State.Loop);
    }

    [Fact]
    public async Task Run_StayAtEnd_PausesThereAndGoesOnWhenTold()
    {
        await using var playing = Play(new PlaybackOptions { Rate = 0, StayAtEnd = true });
        for (var i = 0; i < Count; i++) await playing.NextAsync();
        // Whatever is asked there, it stays.
        var state = await playing.ControlAsync(new() { Step = new() });
        Assert.True(state.Ended);
        Assert.False(playing.HasFrame);
        Assert.False(playing.Run.IsCompleted);

        await playing.ControlAsync(new() { Seek = new() { GameLoop = First + 10 } });
        state = await playing.ControlAsync(new() { Step = new() });
        Assert.Equal(First + 10, (await playing.NextAsync()).GameLoop);
        Assert.True(state.Paused);

        await playing.ControlAsync(new() { Seek = new() { GameLoop = First + Count - 1 } });
        await playing.ControlAsync(new() { Resume = new() });
        Assert.Equal(First + Count - 1, (await playing.NextAsync()).GameLoop);
        while (!playing.Source.State.Paused) await Task.Yield();
        await playing.ControlAsync(new() { Resume = new() });
        Assert.Equal(First, (await playing.NextAsync()).GameLoop);
    }

    [Fact]
    public async Task Run_StayAtEnd_CommandsInQuickSuccession_PlayOnlyWhatIsAskedFor()
    {
        await using var playing = Play(new PlaybackOptions { Rate = 0, StayAtEnd = true });
        for (var i = 0; i < Count; i++) await playing.NextAsync();
        await playing.ControlAsync(new() { Pause = new() });
        for (var loop = First + 10; loop < First + 60; loop += 10)
        {
            var commands = new ControlRequest[]
            {
                new() { Step = new() },
                new() { Seek = new() { GameLoop = First + 1 } },
                new() { Seek = new() { GameLoop = loop } },
                new() { Step = new() },
            };
            // At the end: the first step has nothing to show.
            await Task.WhenAll(commands.Select(playing.ControlAsync)).WaitAsync(Limit);
            Assert.Equal(loop, (await playing.NextAsync()).GameLoop);
            // A command is carried out before a frame, so after the second one there is no step left.
            for (var i = 0; i < 2; i++) await playing.ControlAsync(new() { SetRate = new() });
            Assert.Equal(loop, playing.Source.State.GameLoop);
            await playing.ControlAsync(new() { Seek = new() { GameLoop = First + Count - 1 } });
            await playing.ControlAsync(new() { Step = new() });
            Assert.Equal(First + Count - 1, (await playing.NextAsync()).GameLoop);
            while (!playing.Source.State.Ended) await Task.Yield();
        }
    }

    [Fact]
    public async Task Run_OffsetAndDuration_PlaysThatPart()
    {
        await using var playing = Play(
            new PlaybackOptions { Rate = 0, TickHz = 16, StartOffset = TimeSpan.FromSeconds(1), Duration = TimeSpan.FromSeconds(0.5) });
        Assert.Equal((First + 16, First + 24), (playing.Source.Match.FirstGameLoop, playing.Source.Match.LastGameLoop));
        for (var loop = First + 16; loop <= First + 24; loop++) Assert.Equal(loop, (await playing.NextAsync()).GameLoop);
        Assert.Equal(SubscriptionEndReason.MatchOver, (await playing.Run.WaitAsync(Limit)).Reason);
    }

    [Fact]
    public async Task Run_Loop_StartsOverAndSequencesGoOn()
    {
        await using var playing = Play(new PlaybackOptions { Rate = 0, Loop = true });
        for (var round = 0u; round < 3; round++)
        {
            for (var i = 0u; i < Count; i++)
            {
                var frame = await playing.NextAsync();
                Assert.Equal((First + i, (ulong)((round * Count) + i + 1)), (frame.GameLoop, frame.Sequence));
            }
        }
    }

    [Fact]
    public void Constructor_OffsetBehindTheEnd_IsRefused()
    {
        using var recording = RecordingReader.Open(_path);
        var error = Assert.Throws<PlaybackException>(
            () => new PlaybackSource(recording, new PlaybackOptions { TickHz = 16, StartOffset = TimeSpan.FromSeconds(10) }, _clock));
        Assert.Equal("--start-offset 10 s is after the end of the recording (3.9 s)", error.Message);
    }

    [Fact]
    public async Task Run_Cancelled_EndsAsStopping()
    {
        await using var playing = Play(new PlaybackOptions { StartPaused = true });
        await playing.Stop.CancelAsync();
        Assert.Equal(SubscriptionEndReason.Stopping, (await playing.Run.WaitAsync(Limit)).Reason);
    }

    private Playing Play(PlaybackOptions options) => new(new PlaybackSource(RecordingReader.Open(_path), options, _clock), _clock);

    /// <summary>A source that plays to one lossless subscription.</summary>
    private sealed class Playing : IAsyncDisposable
    {
        private readonly Subscription _subscription;

        public Playing(PlaybackSource source, ManualClock clock)
        {
            Source = source;
            var run = new MatchRun(new HubOptions(), source.Abilities, clock);
            run.Begin(source.Match);
            _subscription = run.Subscribe(new SubscriptionOptions
            {
                Policy = Policy.Every,
                Encoding = Encoding.Proto,
                BufferFrames = 4,
                Transport = "test",
                Peer = "test",
            })!;
            Run = Task.Run(() => source.RunAsync(new OneMatch(run), Stop.Token));
        }

        public PlaybackSource Source { get; }

        public CancellationTokenSource Stop { get; } = new();

        public Task<SubscriptionEnd> Run { get; }

        public bool HasFrame
        {
            get
            {
                if (!_subscription.TryTake(out var frame, out _)) return false;
                frame.Release();
                return true;
            }
        }

        public Task<PlaybackState> ControlAsync(ControlRequest request) =>
            Source.ControlAsync(request, CancellationToken.None).WaitAsync(Limit);

        public async Task<(uint GameLoop, ulong Sequence, byte[] Bytes)> NextAsync()
        {
            EncodedFrame frame;
            while (!_subscription.TryTake(out frame, out _)) await _subscription.WaitAsync().AsTask().WaitAsync(Limit);
            var result = (frame.GameLoop, frame.Sequence, frame.Payload.ToArray());
            frame.Release();
            return result;
        }

        /// <summary>Until the source waits for the clock.</summary>
        public static async Task UntilWaitingAsync(ManualClock clock)
        {
            using var limit = new CancellationTokenSource(Limit);
            while (!clock.HasWaiter)
            {
                limit.Token.ThrowIfCancellationRequested();
                await Task.Yield();
            }
        }

        public async ValueTask DisposeAsync()
        {
            await Stop.CancelAsync();
            _subscription.Dispose();
            await Run.WaitAsync(Limit);
            Source.Dispose();
            Stop.Dispose();
        }
    }
}
