using System.Net.Sockets;
using Abathur.Sync.Hosting;
using Abathur.Sync.Tests.Transports;

namespace Abathur.Sync.Tests.Hosting;

public sealed class ConnectionLimitTests
{
    private const int MaxConnections = 6;
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task Connections_OfAllListeners_CountTogether()
    {
        using var folder = new TemporaryFolder();
        var options = new DaemonOptions { GrpcPort = 0, SocketPort = 0, HttpPort = 0, MaxConnections = MaxConnections };
        if (!OperatingSystem.IsWindows())
            options = options with { GrpcUnixSocket = folder.PathTo("g"), SocketUnixSocket = folder.PathTo("s") };
        await using var daemon = new Daemon(new SilentSource(), options, TimeProvider.System);
        var addresses = (await daemon.StartAsync(CancellationToken.None)).All;
        var held = new List<Socket>();
        for (var i = 0; i < MaxConnections; i++) held.Add(await RawConnection.OpenAsync(addresses[i % addresses.Count].Address));
        // A connection that the system has accepted is not counted yet. One that comes to another listener could overtake it.
        Assert.True(SpinWait.SpinUntil(() => daemon.OpenConnections == MaxConnections, Limit));
        foreach (var (_, address) in addresses)
        {
            Assert.True(await IsRefusedAsync(address), address);
        }
        // The others are still there, and a place that becomes free is given to the next.
        Assert.All(held, socket => Assert.False(socket.Poll(TimeSpan.Zero, SelectMode.SelectRead)));
        held[0].Dispose();
        using var next = await ConnectUntilHeldAsync(addresses.Single(each => each.Transport == "http").Address);
        foreach (var socket in held) socket.Dispose();
    }

    /// <summary>Tries again while the server has not seen yet that a connection is closed.</summary>
    private static async Task<Socket> ConnectUntilHeldAsync(string address)
    {
        using var limit = new CancellationTokenSource(Limit);
        while (true)
        {
            limit.Token.ThrowIfCancellationRequested();
            try
            {
                var socket = await RawConnection.OpenAsync(address);
                // HTTP answers this. A connection that is refused is closed without a byte.
                await socket.SendAsync("GET / HTTP/1.0\r\n\r\n"u8.ToArray());
                if (await socket.ReceiveAsync(new byte[1], limit.Token) > 0) return socket;
                socket.Dispose();
            }
            catch (SocketException)
            {
                // Refused.
            }
        }
    }

    private static async Task<bool> IsRefusedAsync(string address)
    {
        try
        {
            using var socket = await RawConnection.OpenAsync(address);
            return await socket.ReceiveAsync(new byte[1]).WaitAsync(Limit) == 0;
        }
        catch (SocketException)
        {
            return true;
        }
    }
}
