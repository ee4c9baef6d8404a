using Abathur.Recordings.Tests;
using Abathur.Sync.Access;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Tests.Matches;
using Abathur.Sync.Transports;
using Abathur.Sync.V1;
using ClientMessage = Abathur.Sync.V1.ClientMessage;

namespace Abathur.Sync.Tests.Transports;

public class SyncSessionTests
{
    [Fact]
    public async Task Run_ClientSendsFasterThanItIsRead_IsWrittenToAllTheSame()
    {
        using var view = new MatchView(new HubShare(new HubOptions(), TimeProvider.System), Abilities.Waiting);
        var api = new SyncApi(view, view, new AccessOptions(), TimeProvider.System);
        using var reader = await api.SubscribeAsync(
            new SubscribeRequest(), TransportTraits.WebSocketBinary, "test", AccessLevel.Act);
        var wire = new FloodedWire();

        var running = Task.Run(() => new SyncSession(api, wire, reader, AccessLevel.Act).RunAsync(CancellationToken.None));
        await reader.Run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));

        Assert.Equal(SubscriptionEndReason.MatchOver, (await running.WaitAsync(TimeSpan.FromSeconds(20))).Reason);
        Assert.Equal("over", Assert.Single(wire.Written).End.Reason);
    }

    [Fact]
    public async Task Run_ReaderForWhomThereIsAlwaysOneMoreFrame_KeepsNobodyElseFromTheirs()
    {
        using var view = new MatchView(new HubShare(new HubOptions(), TimeProvider.System), Abilities.NotWaiting);
        var run = view.Current;
        run.Begin(new Match { MatchId = "turns" });
        var api = new SyncApi(view, view, new AccessOptions(), TimeProvider.System);
        using var stop = new CancellationTokenSource();
        var served = new TaskCompletionSource();
        using var first = await SubscribeAsync();
        using var second = await SubscribeAsync();
        var greedy = new SyncSession(
            api, new TakingWire(() => served.Task.IsCompleted || stop.IsCancellationRequested ? default : PublishAsync(run)), first,
            AccessLevel.Act);
        var patient = new SyncSession(api, new TakingWire(() => { served.TrySetResult(); return default; }), second, AccessLevel.Act);
        // As in the daemon: without the context that tests run in.
        Task[] running = [Task.Run(() => greedy.RunAsync(stop.Token)), Task.Run(() => patient.RunAsync(stop.Token))];

        await PublishAsync(run);
        try
        {
            await served.Task.WaitAsync(TimeSpan.FromSeconds(20));
        }
        finally
        {
            await stop.CancelAsync();
            await run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));
        }
        await Task.WhenAll(running).WaitAsync(TimeSpan.FromSeconds(20));

        ValueTask<MatchReader> SubscribeAsync() =>
            api.SubscribeAsync(new SubscribeRequest(), TransportTraits.WebSocketBinary, "test", AccessLevel.Act);
    }

    private static ValueTask PublishAsync(MatchRun run)
    {
        var payload = SharedBuffer.Rent();
        System.Buffers.BuffersExtensions.Write(payload, RecordingSample.Observation(1));
        return run.PublishAsync(SharedFrame.Rent(1, FrameStamp.Now(TimeProvider.System), payload));
    }

    /// <summary>Does something for each frame.</summary>
    private sealed class TakingWire(Func<ValueTask> taken) : ISessionWire
    {
        private bool _hasFrame;

        public async ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellationToken)
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
            return null;
        }

        public void Write(ServerMessage message)
        {
        }

        public ValueTask WriteMatchAsync(Match match, CancellationToken cancellationToken) => default;

        public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
        {
            _hasFrame = true;
            return 0;
        }

        public async ValueTask<bool> FlushAsync(CancellationToken cancellationToken)
        {
            if (_hasFrame) await taken();
            _hasFrame = false;
            return true;
        }
    }

    /// <summary>There is always one more acknowledgement to read.</summary>
    private sealed class FloodedWire : ISessionWire
    {
        public List<ServerMessage> Written { get; } = [];

        public ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellationToken)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return new(new ClientMessage { Ack = new Ack { Sequence = 1 } });
        }

        public void Write(ServerMessage message) => Written.Add(message);

        public ValueTask WriteMatchAsync(Match match, CancellationToken cancellationToken) => default;

        public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped) => 0;

        public ValueTask<bool> FlushAsync(CancellationToken cancellationToken) => new(true);
    }
}
