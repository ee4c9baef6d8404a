using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Sources;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Hosting;

/// <summary>How long the daemon waits for readers that take nothing when its match is over, or when it is told to stop.</summary>
public sealed class DrainTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    // Without a history, which also waits for the clock.
    private static readonly DaemonOptions Options =
        new() { GrpcPort = null, SocketPort = null, HttpPort = null, Hub = new() { HistoryBytes = 0 } };

    private readonly ManualClock _clock = new();

    [Theory]
    [InlineData(SubscriptionEndReason.MatchOver)]
    [InlineData(SubscriptionEndReason.Stopping)]
    public async Task Run_ReaderTakesNothingAtTheEnd_IsWaitedForThatLong(SubscriptionEndReason reason)
    {
        var timeout = reason == SubscriptionEndReason.MatchOver ? Options.MatchEndTimeout : Options.DrainTimeout;
        await using var daemon = new Daemon(new OneFrameSource(_clock, reason), Options, _clock);
        using var reader = Subscribe(daemon);
        var run = daemon.RunAsync(CancellationToken.None);
        Assert.True(SpinWait.SpinUntil(() => _clock.HasWaiter, Limit));
        _clock.Advance(timeout - Tick);
        Assert.False(run.IsCompleted);
        _clock.Advance(Tick);
        Assert.Equal(reason, (await run.WaitAsync(Limit)).Reason);
    }

    [Fact]
    public async Task Run_ReaderStandsStillForAWhileAtTheEnd_HasTheLastFrameAndTheReason()
    {
        await using var daemon = new Daemon(new OneFrameSource(_clock, SubscriptionEndReason.MatchOver), Options, _clock);
        Task<SubscriptionEnd> run;
        using (var reader = Subscribe(daemon))
        {
            run = daemon.RunAsync(CancellationToken.None);
            Assert.True(SpinWait.SpinUntil(() => _clock.HasWaiter, Limit));
            _clock.Advance(Options.MatchEndTimeout - Tick);
            Assert.True(reader.TryTake(out var frame, out _));
            frame.Release();
            Assert.Equal(SubscriptionEndReason.MatchOver, reader.End?.Reason);
            Assert.False(reader.Aborted.IsCancellationRequested);
        }
        await run.WaitAsync(Limit);
    }

    [Fact]
    public async Task Run_StopIsRequestedAfterTheMatch_IsWaitedForNoLongerThanAfterAStop()
    {
        await using var daemon = new Daemon(new OneFrameSource(_clock, SubscriptionEndReason.MatchOver), Options, _clock);
        using var reader = Subscribe(daemon);
        using var stop = new CancellationTokenSource();
        var run = daemon.RunAsync(stop.Token);
        Assert.True(SpinWait.SpinUntil(() => _clock.HasWaiter, Limit));
        _clock.Advance(Tick);
        var waiters = _clock.Waiters;
        await stop.CancelAsync();
        Assert.True(SpinWait.SpinUntil(() => _clock.Waiters > waiters, Limit));
        _clock.Advance(Options.DrainTimeout - Tick);
        Assert.False(run.IsCompleted);
        _clock.Advance(Tick);
        Assert.Equal(SubscriptionEndReason.MatchOver, (await run.WaitAsync(Limit)).Reason);
    }

    private static Subscription Subscribe(Daemon daemon) =>
        daemon.Run.Subscribe(new SubscriptionOptions
        {
            Policy = Policy.Every,
            Encoding = Encoding.Proto,
            BufferFrames = 8,
            Transport = "test",
            Peer = "test",
        })!;

    private sealed class OneFrameSource(TimeProvider clock, SubscriptionEndReason reason) : IMatchSource
    {
        public MatchAbilities Abilities { get; } = new() { Kind = SourceKind.Playback, CanWait = true };

        public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken)
        {
            var run = sink.Begin(new Match { MatchId = "drain" });
            var payload = SharedBuffer.Rent();
            System.Buffers.BuffersExtensions.Write(payload, RecordingSample.Observation(1));
            await run.PublishAsync(SharedFrame.Rent(1, FrameStamp.Now(clock), payload));
            return new(reason, "that was it");
        }
    }
}
