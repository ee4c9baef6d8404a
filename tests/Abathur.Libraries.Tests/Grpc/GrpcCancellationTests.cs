using System.Buffers;
using System.Net;

namespace Abathur.Grpc.Tests;

/// <summary>Deadlines, clients that leave, and handlers that are in the middle of something then. No call may stay.</summary>
public class GrpcCancellationTests
{
    private const string Timeout = "grpc-timeout: 100m";
    private static readonly byte[] OneByte = GrpcFrames.Frame([42]);
    private readonly TaskCompletionSource _seen = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Fact]
    public async Task Deadline_Passed_CancelsTheHandlerAndIsTheStatus()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Sleep", async call =>
        {
            Assert.NotNull(call.Deadline);
            await Task.Delay(-1, call.Cancellation);
        }));
        using var response = await host.PostAsync("Sleep", OneByte, Timeout);
        Assert.Equal("4", response.Headers.GetValues("grpc-status").Single());
    }

    [Fact]
    public async Task Deadline_OfZero_IsPassed()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Sleep", call => Task.Delay(-1, call.Cancellation)));
        using var response = await host.PostAsync("Sleep", OneByte, "grpc-timeout: 0n");
        Assert.Equal("4", response.Headers.GetValues("grpc-status").Single());
    }

    [Fact]
    public async Task Deadline_HandlerEndsWithAnotherStatusAfterIt_IsTheStatus()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Sleep", async call =>
        {
            await Task.Delay(-1, call.Cancellation).ContinueWith(_ => { }, TaskScheduler.Default);
            throw new GrpcException(GrpcStatusCode.Cancelled, "closed");
        }));
        using var response = await host.PostAsync("Sleep", OneByte, Timeout);
        Assert.Equal("4", response.Headers.GetValues("grpc-status").Single());
    }

    [Fact]
    public async Task Deadline_WhileTheClientDoesNotRead_EndsTheHandlerAndIsStillTheStatus()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Flood", async call =>
        {
            var message = new byte[1 << 20];
            while (true) await call.WriteAsync(message);
        }));
        using var response = await host.PostAsync("Flood", OneByte, "grpc-timeout: 300m");
        await host.WaitUntilIdleAsync();
        Assert.NotEmpty(GrpcFrames.Split(await response.Content.ReadAsByteArrayAsync()));
        Assert.Equal("4", response.TrailingHeaders.GetValues("grpc-status").Single());
    }

    [Fact]
    public async Task Deadline_ReadyBytesWhileTheClientDoesNotRead_EndsTheHandler()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Flood", async call =>
        {
            var message = new byte[1 << 20];
            do
            {
                GrpcCall.WritePrefix(call.BodyWriter, (uint)message.Length);
                call.BodyWriter.Write(message);
            }
            while (await call.FlushAsync());
        }));
        using var response = await host.PostAsync("Flood", OneByte, "grpc-timeout: 300m");
        await host.WaitUntilIdleAsync();
        Assert.NotEmpty(GrpcFrames.Split(await response.Content.ReadAsByteArrayAsync()));
        Assert.Equal("4", response.TrailingHeaders.GetValues("grpc-status").Single());
    }

    [Fact]
    public async Task Deadline_CallbackOfTheHandlerThrows_IsReportedAndDoesNotEndTheProcess()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Throw", async call =>
        {
            call.Cancellation.Register(() => throw new InvalidOperationException("in a callback"));
            await Task.Delay(-1, call.Cancellation);
        }));
        using var response = await host.PostAsync("Throw", OneByte, Timeout);
        Assert.Equal("4", response.Headers.GetValues("grpc-status").Single());
        Assert.IsType<AggregateException>(Assert.Single(host.Failures).Exception);
        host.Failures.Clear();
    }

    [Fact]
    public async Task Client_LeavesWhileTheHandlerWrites_EndsTheHandlerWithoutAFailure()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Flood", async call =>
        {
            var message = new byte[1 << 16];
            while (true) await call.WriteAsync(message);
        }));
        for (var i = 0; i < 20; i++)
        {
            using var response = await host.PostAsync("Flood", OneByte);
            using var body = await response.Content.ReadAsStreamAsync();
            await body.ReadExactlyAsync(new byte[5 + (i * 10_000)]);
        }
        await host.WaitUntilIdleAsync();
    }

    [Fact]
    public async Task Client_LeavesWhileTheHandlerReads_EndsTheHandlerWithoutAFailure()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Read", async call =>
        {
            await call.SendHeadersAsync();
            try
            {
                while (await call.ReadAsync() is not null)
                {
                }
            }
            catch (OperationCanceledException)
            {
                _seen.SetResult();
                throw;
            }
        }));
        using var content = new EndlessContent();
        using (await host.SendAsync(HttpMethod.Post, "/test.Service/Read", content))
        {
            // Leaves at once.
        }
        await _seen.Task.WaitAsync(TimeSpan.FromSeconds(10));
    }

    [Fact]
    public async Task Reset_WhileTheClientDoesNotRead_EndsTheStreamAndTheHandler()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Flood", async call =>
        {
            var message = new byte[1 << 20];
            using var late = new Timer(_ => call.Reset(), null, 200, -1);
            while (true) await call.WriteAsync(message);
        }));
        using var response = await host.PostAsync("Flood", OneByte);
        await host.WaitUntilIdleAsync();
        var failure = await Assert.ThrowsAsync<HttpRequestException>(() => response.Content.ReadAsByteArrayAsync());
        Assert.Equal(0xb, Assert.IsType<HttpProtocolException>(failure.InnerException).ErrorCode);
    }

    [Fact]
    public async Task Handler_EndsBeforeTheClientHasSentAll_AnswersAtOnce()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Early", async call =>
        {
            await call.ReadAsync();
            throw new GrpcException(GrpcStatusCode.OutOfRange, "enough");
        }));
        using var content = new EndlessContent();
        using var response = await host.SendAsync(HttpMethod.Post, "/test.Service/Early", content);
        Assert.Equal("11", response.Headers.GetValues("grpc-status").Single());
    }

    /// <summary>A client stream of one message that is never closed.</summary>
    private sealed class EndlessContent : HttpContent
    {
        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.WriteAsync(OneByte);
            await stream.FlushAsync();
            await Task.Delay(-1);
        }

        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
            SerializeToStreamAsync(stream, context).WaitAsync(cancellationToken);

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
