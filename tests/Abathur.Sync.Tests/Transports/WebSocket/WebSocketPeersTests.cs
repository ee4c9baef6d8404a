using System.Net;
using System.Net.Sockets;
using Abathur.Sync.Hosting;
using Abathur.Sync.Transports.WebSocket;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Transports.WebSocket;

public class WebSocketPeersTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(200);

    [Fact]
    public async Task Peer_SendsPingsAndReadsNothing_IsCutOffAfterTheHandshakeTimeout()
    {
        await using var daemon = Start(
            out var port, new WebSocketTransportOptions { HandshakeTimeout = Short, CloseTimeout = Short, DrainTimeout = Short });
        using var peer = await ConnectAsync(port);
        Assert.StartsWith("HTTP/1.1 101 ", await HandshakeAsync(peer, port));
        byte[] ping = [0x89, 0x80, 0, 0, 0, 0];
        var pings = Enumerable.Repeat(ping, 10_000).SelectMany(each => each).ToArray();

        using var limit = new CancellationTokenSource(Limit);
        await Assert.ThrowsAsync<SocketException>(async () =>
        {
            while (true) await peer.SendAsync(pings, limit.Token);
        });
    }

    [Fact]
    public async Task Peer_AnswersPingsWhileThereIsNoMatchYet_StaysAndGetsIt()
    {
        await using var daemon = Start(
            out var port, new WebSocketTransportOptions { KeepAliveInterval = Short, KeepAliveTimeout = TimeSpan.FromSeconds(2) });
        using var peer = await ConnectAsync(port);
        await HandshakeAsync(peer, port);
        byte[] subscribe = [0x82, 0x82, 0, 0, 0, 0, 0x12, 0];
        await peer.SendAsync(subscribe);

        // The second ping comes only when the first one's pong has been seen.
        for (var pings = 0; pings < 2; pings++)
        {
            var head = await ReceiveAsync(peer, 2);
            Assert.Equal(0x89, head[0]);
            byte[] pong = [0x8A, (byte)(0x80 | head[1]), 0, 0, 0, 0, .. await ReceiveAsync(peer, head[1])];
            await peer.SendAsync(pong);
        }
        daemon.Run.Begin(new Match { MatchId = "late" });

        var next = await ReceiveAsync(peer, 2);
        while (next[0] == 0x89)
        {
            await ReceiveAsync(peer, next[1]);
            next = await ReceiveAsync(peer, 2);
        }
        Assert.Equal(0x82, next[0]);
    }

    [Fact]
    public async Task Peer_AnswersNoPingWhileThereIsNoMatchYet_IsCutOff()
    {
        await using var daemon = Start(
            out var port, new WebSocketTransportOptions { KeepAliveInterval = Short, KeepAliveTimeout = Short });
        using var peer = await ConnectAsync(port);
        await HandshakeAsync(peer, port);
        byte[] subscribe = [0x82, 0x82, 0, 0, 0, 0, 0x12, 0];
        await peer.SendAsync(subscribe);

        Assert.Equal(0x89, (await ReceiveAsync(peer, 1))[0]);
        using var limit = new CancellationTokenSource(Limit);
        var ended = false;
        try
        {
            while (!ended) ended = await peer.ReceiveAsync(new byte[256], limit.Token) == 0;
        }
        catch (SocketException)
        {
            ended = true;
        }

        Assert.True(ended);
    }

    private static Daemon Start(out int port, WebSocketTransportOptions options)
    {
        var daemon = new Daemon(
            new SilentSource(), new DaemonOptions { GrpcPort = null, SocketPort = null, HttpPort = 0, WebSocket = options },
            TimeProvider.System);
        var addresses = daemon.StartAsync(CancellationToken.None).GetAwaiter().GetResult();
        port = IPEndPoint.Parse(addresses.All.Single().Address).Port;
        return daemon;
    }

    private static async Task<Socket> ConnectAsync(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, port);
        return socket;
    }

    private static async Task<byte[]> ReceiveAsync(Socket socket, int count)
    {
        var bytes = new byte[count];
        for (var at = 0; at < count;)
        {
            var read = await socket.ReceiveAsync(bytes.AsMemory(at)).AsTask().WaitAsync(Limit);
            Assert.NotEqual(0, read);
            at += read;
        }
        return bytes;
    }

    /// <summary>The head of the answer, and nothing of what follows it: the first ping may come with it.</summary>
    private static async Task<string> HandshakeAsync(Socket socket, int port)
    {
        var request =
            $"GET {WebSocketEndpoint.SyncPath} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n";
        await socket.SendAsync(System.Text.Encoding.ASCII.GetBytes(request));
        var answer = "";
        while (!answer.EndsWith("\r\n\r\n", StringComparison.Ordinal))
            answer += (char)(await ReceiveAsync(socket, 1))[0];
        return answer;
    }
}
