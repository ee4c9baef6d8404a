using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Sources;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Hosting;

/// <summary>How long a daemon stays whose match is over, and is shown later to some.</summary>
public sealed class DaemonDelayTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan Delay = TimeSpan.FromSeconds(60);

    private static readonly DaemonOptions Options = new()
    {
        GrpcPort = null,
        SocketPort = null,
        HttpPort = null,
        Access = new() { Tokens = new("act-token-0123456789", "watch-token-0123456789"), WatchDelay = Delay },
    };

    private readonly ManualClock _clock = new();

    [Fact]
    public async Task Run_MatchIsOver_StaysUntilTheEndIsShown()
    {
        await using var daemon = new Daemon(new ShortSource(_clock, publishes: true), Options, _clock);
        var run = daemon.RunAsync(CancellationToken.None);
        Assert.True(SpinWait.SpinUntil(() => _clock.HasWaiter, Limit));
        _clock.Advance(Delay - Tick);
        Assert.False(run.IsCompleted);
        _clock.Advance(Tick);
        Assert.Equal(SubscriptionEndReason.MatchOver, (await run.WaitAsync(Limit)).Reason);
    }

    [Fact]
    public async Task Run_StoppedWhileTheEndWaits_EndsAtOnce()
    {
        using var stop = new CancellationTokenSource();
        await using var daemon = new Daemon(new ShortSource(_clock, publishes: true), Options, _clock);
        var run = daemon.RunAsync(stop.Token);
        Assert.True(SpinWait.SpinUntil(() => _clock.HasWaiter, Limit));
        Assert.False(run.IsCompleted);
        await stop.CancelAsync();
        Assert.Equal(SubscriptionEndReason.MatchOver, (await run.WaitAsync(Limit)).Reason);
    }

    [Fact]
    public async Task Run_NoMatchHasBegun_EndsAtOnce()
    {
        await using var daemon = new Daemon(new ShortSource(_clock, publishes: false), Options, _clock);
        Assert.Equal("that was it", (await daemon.RunAsync(CancellationToken.None).WaitAsync(Limit)).Message);
    }

    [Fact]
    public async Task Dispose_WithoutARun_Ends()
    {
        var daemon = new Daemon(new ShortSource(_clock, publishes: true), Options, _clock);
        await daemon.DisposeAsync().AsTask().WaitAsync(Limit);
    }

    private sealed class ShortSource(TimeProvider clock, bool publishes) : IMatchSource
    {
        public MatchAbilities Abilities { get; } = new() { Kind = SourceKind.Push, CanWait = false };

        public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken)
        {
            if (publishes)
            {
                var run = sink.Begin(new Match { MatchId = "short" });
                var payload = SharedBuffer.Rent();
                System.Buffers.BuffersExtensions.Write(payload, RecordingSample.Observation(1));
                await run.PublishAsync(SharedFrame.Rent(1, FrameStamp.Now(clock), payload));
            }
            return new(SubscriptionEndReason.MatchOver, "that was it");
        }
    }
}
