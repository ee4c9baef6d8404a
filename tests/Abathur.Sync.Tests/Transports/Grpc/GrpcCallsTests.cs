using System.IO.Compression;
using System.Net;
using System.Net.Sockets;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Tests.Transports.Grpc;

/// <summary>What the daemon's gRPC does that the library does not: limits, readers that do not read, clients that leave.</summary>
public sealed class GrpcCallsTests
{
    private const string DeadlineExceeded = "4", ResourceExhausted = "8", Unimplemented = "12", Internal = "13";
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);
    private static readonly SubscribeRequest Every = new() { Policy = Policy.Every, BufferFrames = 1024 };

    [Theory]
    [InlineData("GetMatch")]
    [InlineData("Subscribe")]
    public async Task Deadline_Passed_IsTheStatus(string method)
    {
        await using var host = await GrpcHost.StartAsync();
        IMessage request = method == "GetMatch" ? new GetMatchRequest { Wait = true } : Every;
        using var response = await host.CallAsync(method, request, ("grpc-timeout", "100m"));
        Assert.Equal(DeadlineExceeded, await GrpcHost.StatusAsync(response).WaitAsync(Limit));
        await host.WaitUntilIdleAsync();
    }

    [Fact]
    public async Task Deadline_WhileTheClientDoesNotRead_EndsTheCall()
    {
        await using var host = await GrpcHost.StartAsync();
        host.Run.Begin(new Match { MatchId = "flood" });
        using var response = await host.CallAsync("Subscribe", Every, ("grpc-timeout", "1S"));
        await host.Run.Hub.WaitForSubscribersAsync(count => count == 1, CancellationToken.None).WaitAsync(Limit);
        // More than all buffers between them hold.
        for (var loop = 1u; loop <= 60; loop++) await host.PublishAsync(loop, 1 << 20);
        await host.WaitUntilIdleAsync();
        // A status cannot be sent after bytes that the client does not read: the stream is reset. Clients measure deadlines themselves.
        await Assert.ThrowsAsync<HttpRequestException>(() => response.Content.ReadAsByteArrayAsync()).WaitAsync(Limit);
    }

    [Fact]
    public async Task Client_LeavesWhileFramesAreWritten_EndsTheCall()
    {
        await using var host = await GrpcHost.StartAsync();
        host.Run.Begin(new Match { MatchId = "gone" });
        for (var loop = 1u; loop <= 20; loop++)
        {
            using (var response = await host.CallAsync("Subscribe", Every))
            {
                await host.Run.Hub.WaitForSubscribersAsync(count => count == 1, CancellationToken.None).WaitAsync(Limit);
                await host.PublishAsync(loop, 1 << 16);
                await using var body = await response.Content.ReadAsStreamAsync();
                await body.ReadExactlyAsync(new byte[5 + (loop * 1_000)]);
            }
            await host.WaitUntilIdleAsync();
        }
    }

    [Fact]
    public async Task Client_LeavesWithinAMessage_EndsTheCall()
    {
        await using var host = await GrpcHost.StartAsync();
        using var body = new UnfinishedContent(GrpcFrames.Frame(new byte[100])[..50]);
        using (var cancellation = new CancellationTokenSource())
        {
            var call = host.SendAsync("Session", body).WaitAsync(cancellation.Token);
            using var limit = new CancellationTokenSource(Limit);
            while (host.Calls == 0) await Task.Delay(1, limit.Token);
            await cancellation.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        }
        body.Finish();
        await host.WaitUntilIdleAsync();
    }

    [Fact]
    public async Task Request_Compressed_IsNotDecompressed()
    {
        using var packed = new MemoryStream();
        await using (var gzip = new GZipStream(packed, CompressionLevel.SmallestSize, leaveOpen: true))
            await gzip.WriteAsync(new byte[50_000_000]);
        Assert.InRange(packed.Length, 1, 64 * 1024);
        await using var host = await GrpcHost.StartAsync();
        // Other tests run beside it.
        await Allocated.AtMostInProcessAsync(20_000_000, async () =>
        {
            using var bomb = new ByteArrayContent(GrpcFrames.Frame(packed.ToArray(), flag: 1));
            using var response = await host.SendAsync("GetStatus", bomb, ("grpc-encoding", "gzip"));
            Assert.Equal(Unimplemented, await GrpcHost.StatusAsync(response));
        });
    }

    [Theory]
    [InlineData("0000000001FF", Internal)] // not a message
    [InlineData("0200000000", Internal)] // no such flag
    [InlineData("000000000908", Internal)] // it ends early
    [InlineData("", Internal)] // no message at all
    [InlineData("00000000000000000000", Internal)] // two where one is allowed
    [InlineData("00FFFFFFFF", ResourceExhausted)] // 4 GB announced
    public async Task Request_ThatIsNone_GetsAStatus(string hex, string expected)
    {
        await using var host = await GrpcHost.StartAsync();
        using var body = new ByteArrayContent(Convert.FromHexString(hex));
        using var response = await host.SendAsync("GetStatus", body);
        Assert.Equal(expected, await GrpcHost.StatusAsync(response));
    }

    [Fact]
    public async Task IncompleteMessages_OfTheFirstCallsOfAConnection_CountTogether()
    {
        const int Held = 1000, Calls = 5;
        var message = GrpcFrames.Frame(new byte[2 * Held]);
        for (var round = 0; round < 20; round++)
        {
            // Each host has a new connection, on which all calls arrive at once.
            await using var host = await GrpcHost.StartAsync(maxConnectionHeldBytes: Calls * Held);
            var bodies = Enumerable.Range(0, Calls + 1).Select(_ => new UnfinishedContent(message[..Held])).ToList();
            var calls = bodies.Select(body => host.SendAsync("GetStatus", body)).ToList();
            try
            {
                // The one that is too many is told so; the others are waited for.
                using var refused = await (await Task.WhenAny(calls).WaitAsync(Limit));
                Assert.Equal(ResourceExhausted, await GrpcHost.StatusAsync(refused));
            }
            finally
            {
                foreach (var body in bodies) body.Finish(message.AsMemory(Held));
            }
            await host.WaitUntilIdleAsync();
        }
    }

    [Fact]
    public async Task Calls_OneTooMany_IsRefusedAndTheNextIsServedAgain()
    {
        await using var host = await GrpcHost.StartAsync(maxCalls: 1);
        host.Run.Begin(new Match { MatchId = "one" });
        using (var first = await host.CallAsync("Subscribe", Every))
        {
            using var second = await host.CallAsync("GetStatus", new GetStatusRequest());
            Assert.Equal(ResourceExhausted, Assert.Single(second.Headers.GetValues("grpc-status")));
        }
        await host.WaitUntilIdleAsync();
        using var third = await host.CallAsync("GetStatus", new GetStatusRequest());
        Assert.Equal("0", await GrpcHost.StatusAsync(third));
    }

    [Theory]
    [InlineData("")]
    [InlineData("P")]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r")]
    public async Task Preface_NotWholeInTime_ClosesTheConnection(string start)
    {
        var clock = new ManualClock();
        await using var host = await GrpcHost.StartAsync(clock: clock);
        using var client = new TcpClient();
        await client.ConnectAsync(IPEndPoint.Parse(host.Address.Authority));
        await client.GetStream().WriteAsync(System.Text.Encoding.ASCII.GetBytes(start));
        using var limit = new CancellationTokenSource(Limit);
        while (!clock.HasWaiter) await Task.Delay(1, limit.Token);
        clock.Advance(TimeSpan.FromSeconds(10));
        Assert.True(await IsClosedAsync(client));
    }

    [Fact]
    public async Task Preface_InPieces_IsTaken()
    {
        await using var host = await GrpcHost.StartAsync(clock: new ManualClock());
        using var client = new TcpClient { NoDelay = true };
        await client.ConnectAsync(IPEndPoint.Parse(host.Address.Authority));
        byte[] start = [.. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, 0, 0, 0, 4, 0, 0, 0, 0, 0];
        foreach (var each in start) await client.GetStream().WriteAsync(new[] { each });
        // The server's SETTINGS.
        var head = new byte[9];
        await client.GetStream().ReadExactlyAsync(head).AsTask().WaitAsync(Limit);
        Assert.Equal(4, head[3]);
    }

    private static async Task<bool> IsClosedAsync(TcpClient client)
    {
        try
        {
            return await client.GetStream().ReadAsync(new byte[1]).AsTask().WaitAsync(Limit) == 0;
        }
        catch (IOException)
        {
            return true;
        }
    }
}
