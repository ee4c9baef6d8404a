using System.Net;
using System.Net.Sockets;
using Google.Protobuf.WellKnownTypes;

namespace Abathur.Grpc.Tests;

/// <summary>What is refused before a request costs memory.</summary>
public sealed class GrpcLimitsTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(100);

    [Fact]
    public async Task Authorize_Refuses_BeforeTheMessageIsRead()
    {
        var isRun = false;
        var options = new GrpcMethodOptions { Authorize = _ => throw new GrpcException(GrpcStatusCode.Unauthenticated, "no token") };
        await using var host = await GrpcTestHost.StartAsync(service => service.Unary(
            "Refused",
            (_, _) =>
            {
                isRun = true;
                return ValueTask.FromResult(ReadOnlyMemory<byte>.Empty);
            },
            options));
        using var body = new UnfinishedContent(GrpcFrames.Frame(new byte[100])[..50]);
        using var response = await host.SendAsync(HttpMethod.Post, "/test.Service/Refused", body).WaitAsync(Limit);
        Assert.Equal("16", Assert.Single(response.Headers.GetValues("grpc-status")));
        Assert.False(isRun);
        body.Finish();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(50)]
    public async Task FirstMessage_NotCompleteInTime_EndsTheCall(int bytes)
    {
        await using var host = await GrpcTestHost.StartAsync(
            service =>
                service.Bidirectional("Talk", async call => await call.ReadAsync()), new GrpcServerOptions { FirstMessageTimeout = Short });
        using var body = new UnfinishedContent(GrpcFrames.Frame(new byte[100])[..bytes]);
        using var response = await host.SendAsync(HttpMethod.Post, "/test.Service/Talk", body).WaitAsync(Limit);
        Assert.Equal("4", Assert.Single(response.Headers.GetValues("grpc-status")));
        body.Finish();
    }

    [Fact]
    public async Task MethodLimit_LargerMessage_IsResourceExhausted()
    {
        await using var host = await GrpcTestHost.StartAsync(
            service =>
                service.Unary(
                    "Small", (request, _) => ValueTask.FromResult<ReadOnlyMemory<byte>>(new byte[] { 1 }),
                    new GrpcMethodOptions { MaxReceiveMessageBytes = 10 }));
        using var fits = await host.PostAsync("Small", GrpcFrames.Frame(new byte[10]));
        await fits.Content.ReadAsByteArrayAsync();
        Assert.Equal("0", Assert.Single(fits.TrailingHeaders.GetValues("grpc-status")));
        using var larger = await host.PostAsync("Small", GrpcFrames.Frame(new byte[11]));
        Assert.Equal("8", Assert.Single(larger.Headers.GetValues("grpc-status")));
    }

    [Fact]
    public async Task Reserve_HoldsTheResponse_UntilTheClientHasTakenItOrIsGone()
    {
        const int Larger = 16 * 1024 * 1024;
        var released = 0;
        var reserved = new List<int>();
        var options = new GrpcMethodOptions
        {
            Reserve = (_, response) =>
            {
                var bytes = response.CalculateSize();
                reserved.Add(bytes);
                return bytes == 0
                    ? throw new GrpcException(GrpcStatusCode.ResourceExhausted, "no room")
                    : new Released(() => Interlocked.Increment(ref released));
            },
        };
        await using var host = await GrpcTestHost.StartAsync(service => service.Unary(
            "Text", Int32Value.Parser,
            (length, _) => ValueTask.FromResult(new StringValue { Value = new string('x', length.Value) }),
            options));
        byte[] Request(int length) => GrpcFrames.Frame(Google.Protobuf.MessageExtensions.ToByteArray(new Int32Value { Value = length }));

        using (var taken = await host.PostAsync("Text", Request(10))) await taken.Content.ReadAsByteArrayAsync();
        Assert.Equal(1, released);
        using (var refused = await host.PostAsync("Text", Request(0)))
            Assert.Equal("8", Assert.Single(refused.Headers.GetValues("grpc-status")));
        Assert.Equal(1, released);
        using (var unread = await host.PostAsync("Text", Request(Larger)))
        {
            Assert.Equal(3, reserved.Count);
            Assert.Equal(1, released);
        }
        // Disposed without reading: the call is cancelled.
        Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref released) == 2, Limit));
    }

    private sealed class Released(Action action) : IDisposable
    {
        public void Dispose() => action();
    }

    [Fact]
    public async Task IncompleteMessages_OfOneConnection_AreHeldUpToItsLimitAndGivenBack()
    {
        const int Held = 1000, Calls = 5;
        var options = new GrpcServerOptions { MaxConnectionRequestBytes = Calls * Held };
        await using var host = await GrpcTestHost.StartAsync(
            service => service.Unary("Echo", (request, _) => ValueTask.FromResult<ReadOnlyMemory<byte>>(new byte[] { 1 })), options);
        var message = GrpcFrames.Frame(new byte[2 * Held]);
        for (var round = 0; round < 3; round++)
        {
            var bodies = Enumerable.Range(0, Calls + 1).Select(_ => new UnfinishedContent(message[..Held])).ToList();
            var calls = bodies.Select(body => host.SendAsync(HttpMethod.Post, "/test.Service/Echo", body)).ToList();
            // The one that is too many is told so; the others are waited for.
            using var refused = await (await Task.WhenAny(calls).WaitAsync(Limit));
            Assert.Equal("8", Assert.Single(refused.Headers.GetValues("grpc-status")));
            foreach (var body in bodies) body.Finish(message.AsMemory(Held));
            foreach (var call in calls)
            {
                using var response = await call.WaitAsync(Limit);
                await response.Content.ReadAsByteArrayAsync();
                if (response != refused) Assert.Equal("0", Assert.Single(response.TrailingHeaders.GetValues("grpc-status")));
            }
            await host.WaitUntilIdleAsync();
        }
    }

    [Fact]
    public async Task IncompleteMessages_OfTheFirstCallsOfAConnection_CountTogether()
    {
        const int Held = 1000, Calls = 5;
        var options = new GrpcServerOptions { MaxConnectionRequestBytes = Calls * Held };
        var message = GrpcFrames.Frame(new byte[2 * Held]);
        for (var round = 0; round < 50; round++)
        {
            // Each host has a new connection, on which all calls arrive at once.
            await using var host = await GrpcTestHost.StartAsync(
                service => service.Unary("Echo", (request, _) => ValueTask.FromResult<ReadOnlyMemory<byte>>(new byte[] { 1 })), options);
            var bodies = Enumerable.Range(0, Calls + 1).Select(_ => new UnfinishedContent(message[..Held])).ToList();
            var calls = bodies.Select(body => host.SendAsync(HttpMethod.Post, "/test.Service/Echo", body)).ToList();
            try
            {
                using var refused = await (await Task.WhenAny(calls).WaitAsync(Limit));
                Assert.Equal("8", Assert.Single(refused.Headers.GetValues("grpc-status")));
            }
            finally
            {
                foreach (var body in bodies) body.Finish(message.AsMemory(Held));
            }
        }
    }

    [Fact]
    public async Task Calls_OneTooMany_IsResourceExhausted()
    {
        var release = new TaskCompletionSource();
        await using var host = await GrpcTestHost.StartAsync(
            service => service.Bidirectional(
                "Wait",
                async call =>
                {
                    await call.SendHeadersAsync();
                    await release.Task;
                }),
            new GrpcServerOptions { MaxConcurrentCalls = 1 });
        using var first = await host.PostAsync("Wait", []);
        using var second = await host.PostAsync("Wait", []);
        Assert.Equal("8", Assert.Single(second.Headers.GetValues("grpc-status")));
        release.SetResult();
        await first.Content.ReadAsByteArrayAsync();
        using var third = await host.PostAsync("Wait", []);
        await third.Content.ReadAsByteArrayAsync();
        Assert.Equal("0", Assert.Single(third.TrailingHeaders.GetValues("grpc-status")));
    }

    [Theory]
    [InlineData("")]
    [InlineData("P")]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r")]
    public async Task Preface_NotWholeInTime_ClosesTheConnection(string start)
    {
        await using var host = await GrpcTestHost.StartAsync(service => service, prefaceTimeout: Short);
        using var client = new TcpClient();
        await client.ConnectAsync(IPEndPoint.Parse(host.Address.Authority));
        await client.GetStream().WriteAsync(System.Text.Encoding.ASCII.GetBytes(start));
        Assert.True(await IsClosedAsync(client));
    }

    [Fact]
    public async Task Preface_InPieces_IsTaken()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service, prefaceTimeout: Limit);
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

    /// <summary>A request body that goes on when it is told to.</summary>
    private sealed class UnfinishedContent(byte[] start) : HttpContent
    {
        private readonly TaskCompletionSource<ReadOnlyMemory<byte>> _rest = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Finish(ReadOnlyMemory<byte> rest = default) => _rest.TrySetResult(rest);

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.WriteAsync(start);
            await stream.FlushAsync();
            await stream.WriteAsync(await _rest.Task);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
