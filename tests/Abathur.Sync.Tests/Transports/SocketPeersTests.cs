using System.Net;
using System.Net.Sockets;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hosting;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Transports;

public class SocketPeersTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData("json")]
    [InlineData("proto")]
    public async Task Input_ThatLosesTheFraming_IsToldAndTheSubscriptionEnds(string encoding)
    {
        await using var daemon = Start(out var port, new DaemonOptions());
        daemon.Run.Begin(new Match { MatchId = "bad" });
        using var peer = await SubscribeAsync(port, encoding);
        using var file = new NetworkStream(peer);
        await ReadUntilAsync(file, "{\"match\":");
        // No UTF-8 for the one, no message for the other, and more behind it.
        byte[] bad = encoding == "json" ? [0xFF, 0xFE, (byte)'\n', (byte)'{'] : [2, 0, 0, 0, 0xFF, 0xFF, 1];
        await file.WriteAsync(bad);
        await ReadUntilAsync(file, "INVALID_ARGUMENT");
        // A proper end, not a reset, which would cost a slow reader the reason.
        peer.Shutdown(SocketShutdown.Send);
        await file.CopyToAsync(Stream.Null).WaitAsync(Limit);
        await daemon.Run.Hub.WaitForSubscribersAsync(count => count == 0, CancellationToken.None).WaitAsync(Limit);
    }

    [LinuxFact]
    public async Task Peer_TakesNothing_IsLetGoAlsoUnderLatest()
    {
        await using var daemon = Start(out var port, new DaemonOptions { DeadPeerTimeout = TimeSpan.FromSeconds(1) });
        daemon.Run.Begin(new Match { MatchId = "dead" });
        using var peer = await SubscribeAsync(port, "proto");
        using var gone = new CancellationTokenSource(Limit);
        await daemon.Run.Hub.WaitForSubscribersAsync(count => count == 1, gone.Token);
        var ended = daemon.Run.Hub.WaitForSubscribersAsync(count => count == 0, gone.Token);
        for (var loop = 1u; !ended.IsCompleted; loop++)
        {
            var payload = SharedBuffer.Rent();
            System.Buffers.BuffersExtensions.Write(payload, RecordingSample.Observation(loop, 200_000));
            await daemon.Run.PublishAsync(SharedFrame.Rent(loop, FrameStamp.Now(TimeProvider.System), payload));
            await Task.WhenAny(ended, Task.Delay(20, gone.Token));
        }
        await ended;
    }

    private static async Task ReadUntilAsync(NetworkStream file, string text)
    {
        var (received, room) = ("", new byte[4096]);
        while (!received.Contains(text, StringComparison.Ordinal))
        {
            var count = await file.ReadAsync(room).AsTask().WaitAsync(Limit);
            Assert.True(count > 0, $"closed after: {received}");
            received += System.Text.Encoding.Latin1.GetString(room, 0, count);
        }
    }

    private static Daemon Start(out int port, DaemonOptions options)
    {
        var daemon = new Daemon(new SilentSource(), options with { GrpcPort = null, SocketPort = 0, HttpPort = null }, TimeProvider.System);
        port = IPEndPoint.Parse(daemon.StartAsync(CancellationToken.None).GetAwaiter().GetResult().All.Single().Address).Port;
        return daemon;
    }

    private static async Task<Socket> SubscribeAsync(int port, string encoding)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 };
        await socket.ConnectAsync(IPAddress.Loopback, port);
        await socket.SendAsync(
            System.Text.Encoding.ASCII.GetBytes($"{{\"subscribe\":{{\"policy\":\"latest\",\"encoding\":\"{encoding}\"}}}}\n"));
        return socket;
    }
}
