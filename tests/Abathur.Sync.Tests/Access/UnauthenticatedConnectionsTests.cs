using System.Net.Sockets;
using System.Text;
using Abathur.Sync.Access;
using Abathur.Sync.Hosting;
using Abathur.Sync.Tests.Hosting;
using Abathur.Sync.Tests.Transports;

namespace Abathur.Sync.Tests.Access;

/// <summary>Clients without a token cannot take the places of those who have one.</summary>
public sealed class UnauthenticatedConnectionsTests
{
    private const string Token = "a-token-of-enough-letters";
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private readonly ManualClock _clock = new();

    [Theory]
    [InlineData("http")]
    [InlineData("grpc")]
    [InlineData("socket")]
    public async Task ConnectionsWithoutAToken_ShareFewPlacesAndEnd(string transport)
    {
        await using var daemon = Daemon(new AccessTokens(Token, null));
        var addresses = (await daemon.StartAsync(CancellationToken.None)).All;
        string Address(string name) => addresses.Single(each => each.Transport == name).Address;
        using var owner = await OwnerAsync(Address("http"));
        var silent = new List<Socket>();
        for (var i = 0; i < UnauthenticatedConnections.MaxConnections; i++) silent.Add(await RawConnection.OpenAsync(Address(transport)));
        Assert.True(SpinWait.SpinUntil(() => daemon.UnauthenticatedConnections == UnauthenticatedConnections.MaxConnections, Limit));
        Assert.True(await IsRefusedAsync(Address(transport)));
        // The owner's connection still answers.
        Assert.StartsWith("HTTP/1.1 200", await AskAsync(owner, Token), StringComparison.Ordinal);
        _clock.Advance(UnauthenticatedConnections.TimeLimit);
        foreach (var each in silent)
        {
            Assert.True(await IsClosedAsync(each));
            each.Dispose();
        }
        Assert.True(SpinWait.SpinUntil(() => daemon.UnauthenticatedConnections == 0, Limit));
        Assert.StartsWith("HTTP/1.1 200", await AskAsync(owner, Token), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ConnectionThatAsksOnlyForHealth_Ends()
    {
        await using var daemon = Daemon(new AccessTokens(Token, null));
        var http = (await daemon.StartAsync(CancellationToken.None)).All.Single(each => each.Transport == "http").Address;
        using var socket = await RawConnection.OpenAsync(http);
        await socket.SendAsync(Encoding.ASCII.GetBytes($"GET /healthz HTTP/1.1\r\nHost: {http}\r\n\r\n"));
        Assert.True(await socket.ReceiveAsync(new byte[4096]) > 0);
        Assert.Equal(1, daemon.UnauthenticatedConnections);
        _clock.Advance(UnauthenticatedConnections.TimeLimit);
        Assert.True(await IsClosedAsync(socket));
    }

    [Fact]
    public async Task WithoutTokens_NothingIsLimited()
    {
        await using var daemon = Daemon(AccessTokens.None);
        var http = (await daemon.StartAsync(CancellationToken.None)).All.Single(each => each.Transport == "http").Address;
        using var socket = await RawConnection.OpenAsync(http);
        _clock.Advance(UnauthenticatedConnections.TimeLimit);
        Assert.StartsWith("HTTP/1.1 200", await AskAsync(socket, null), StringComparison.Ordinal);
        Assert.Equal(0, daemon.UnauthenticatedConnections);
    }

    private Daemon Daemon(AccessTokens tokens) => new(
        new SilentSource(),
        new DaemonOptions { GrpcPort = 0, SocketPort = 0, HttpPort = 0, Access = new AccessOptions { Tokens = tokens } },
        _clock);

    private static async Task<Socket> OwnerAsync(string address)
    {
        var socket = await RawConnection.OpenAsync(address);
        Assert.StartsWith("HTTP/1.1 200", await AskAsync(socket, Token), StringComparison.Ordinal);
        return socket;
    }

    private static async Task<string> AskAsync(Socket socket, string? token)
    {
        var authorization = token is null ? "" : $"Authorization: Bearer {token}\r\n";
        await socket.SendAsync(Encoding.ASCII.GetBytes($"GET /v1/status HTTP/1.1\r\nHost: {socket.RemoteEndPoint}\r\n{authorization}\r\n"));
        var answer = new byte[64 * 1024];
        var length = 0;
        while (!Encoding.ASCII.GetString(answer, 0, length).Contains("\r\n\r\n", StringComparison.Ordinal))
        {
            var read = await socket.ReceiveAsync(answer.AsMemory(length)).AsTask().WaitAsync(Limit);
            Assert.NotEqual(0, read);
            length += read;
        }
        return Encoding.ASCII.GetString(answer, 0, length);
    }

    private static async Task<bool> IsRefusedAsync(string address)
    {
        try
        {
            using var socket = await RawConnection.OpenAsync(address);
            return await IsClosedAsync(socket);
        }
        catch (SocketException)
        {
            return true;
        }
    }

    private static async Task<bool> IsClosedAsync(Socket socket)
    {
        try
        {
            var buffer = new byte[4096];
            // HTTP/2 says something first.
            while (await socket.ReceiveAsync(buffer).WaitAsync(Limit) > 0) { }
            return true;
        }
        catch (SocketException)
        {
            return true;
        }
    }
}
