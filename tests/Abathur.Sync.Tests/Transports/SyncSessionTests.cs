using Abathur.Sync.Access;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports;
using Abathur.Sync.V1;
using ClientMessage = Abathur.Sync.V1.ClientMessage;

namespace Abathur.Sync.Tests.Transports;

public class SyncSessionTests
{
    [Fact]
    public async Task Run_ClientSendsFasterThanItIsRead_IsWrittenToAllTheSame()
    {
        var hub = new FrameHub(new HubOptions(), sourceWaits: true, TimeProvider.System);
        using var api = new SyncApi(new SilentSource(), hub, new AccessOptions(), TimeProvider.System);
        using var subscription = api.Subscribe(new SubscribeRequest(), TransportTraits.WebSocketBinary, "test", AccessLevel.Act);
        var wire = new FloodedWire();

        var running = Task.Run(() => new SyncSession(api, wire, subscription, AccessLevel.Act).RunAsync(CancellationToken.None));
        await hub.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));

        Assert.Equal(SubscriptionEndReason.MatchOver, (await running.WaitAsync(TimeSpan.FromSeconds(20))).Reason);
        Assert.Equal("over", Assert.Single(wire.Written).End.Reason);
    }

    /// <summary>There is always one more acknowledgement to read.</summary>
    private sealed class FloodedWire : ISessionWire
    {
        public List<ServerMessage> Written { get; } = [];

        public ValueTask<ClientMessage?> ReadAsync(CancellationToken cancellation)
        {
            cancellation.ThrowIfCancellationRequested();
            return new(new ClientMessage { Ack = new Ack { Sequence = 1 } });
        }

        public void Write(ServerMessage message) => Written.Add(message);

        public int WriteFrame(EncodedFrame frame, in Missed missed) => 0;

        public ValueTask<bool> FlushAsync(CancellationToken cancellation) => new(true);
    }
}
