using System.Net;
using System.Net.Sockets;
using Abathur.Sync.V1;
using Google.Protobuf;
using Encoding = System.Text.Encoding;

namespace Abathur.Client.Tests;

/// <summary>A daemon that is not there, dies, hangs, refuses, or sends anything.</summary>
public class FaultTests
{
    private static readonly ConnectOptions Impatient = new()
    {
        ReconnectTimeout = TimeSpan.Zero,
        ConnectTimeout = TimeSpan.FromSeconds(1),
        RequestTimeout = TimeSpan.FromSeconds(1),
    };
    // For a daemon that answers, however busy the machine is.
    private static readonly ConnectOptions Once = new() { ReconnectTimeout = TimeSpan.Zero };
    private static readonly SubscribeOptions Columns = new()
    {
        Policy = SubscribePolicy.Every,
        Encoding = FrameEncoding.Columns,
        Compression = FrameCompression.ZstdStream,
    };

    [Fact]
    public async Task NoDaemon_IsAConnectException()
    {
        using var listener = Listen(out var address);
        listener.Stop();
        var error = await Assert.ThrowsAsync<ConnectException>(() => AbathurGame.ConnectAsync(address, Impatient));
        Assert.Equal(
            $"cannot connect to socket://{address}: nothing listens there. Is the daemon running? `abathur play MATCH.mcap` starts one; "
                + "ConnectOptions.Wait waits for one that starts later",
            error.Message);
    }

    [Fact]
    public async Task NoDaemon_DefaultOptions_IsAnErrorAtOnceOnTcpAndUnix()
    {
        using var listener = Listen(out var address);
        listener.Stop();
        var file = Path.Combine(Path.GetTempPath(), $"abathur-{Guid.NewGuid():N}.sock");
        string[] addresses = [address, $"grpc://{address}", $"socket+unix:{file}", $"grpc+unix:{file}"];
        foreach (var each in OperatingSystem.IsWindows() ? addresses[..2] : addresses)
        {
            var connecting = AbathurGame.ConnectAsync(each);
            // Far less than the 30 s of ReconnectTimeout.
            await Assert.ThrowsAsync<ConnectException>(() => connecting.WaitAsync(TimeSpan.FromSeconds(10)));
        }
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task DaemonThatStartsLater_IsWaitedFor(string transport)
    {
        using var listener = Listen(out var address);
        listener.Stop();
        var connecting = AbathurGame.ConnectAsync($"{transport}://{address}", new ConnectOptions { Wait = TimeSpan.FromMinutes(1) });
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, $"--{transport}-port", address.Split(':')[1]);
        await using var game = await connecting.WaitAsync(TimeSpan.FromMinutes(1));
        await foreach (var frame in game.Frames(Columns)) break;
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task DaemonKilled_IsAConnectionLostException(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path);
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport), Once);
        var error = await Assert.ThrowsAsync<ConnectionLostException>(async () =>
        {
            var frames = 0;
            await foreach (var frame in game.Frames(Columns))
            {
                if (++frames == 3) daemon.Kill();
            }
        });
        Assert.Equal((0, daemon.Address(transport)), (error.Attempts, error.Address));
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task DaemonRestarted_FramesGoOn(string transport)
    {
        var first = await DaemonProcess.StartAsync("play", CommittedRecording.Path);
        var port = first.Address(transport).Split(':')[^1];
        await using var game = await AbathurGame.ConnectAsync(first.Address(transport));
        DaemonProcess? second = null;
        try
        {
            var frames = 0;
            await foreach (var frame in game.Frames(Columns))
            {
                Assert.Equal(second is not null && frame.Reconnected, frame.Reconnected);
                if (frame.Reconnected) break;
                if (++frames != 3) continue;
                first.Kill();
                second = await DaemonProcess.StartAsync("play", CommittedRecording.Path, $"--{transport}-port", port);
            }
            Assert.NotNull(second);
        }
        finally
        {
            first.Dispose();
            second?.Dispose();
        }
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task ConnectionBroken_NextFrameCountsTheDroppedOnes(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "20", "--loop");
        using var relay = new BreakingRelay(daemon.Address(transport).Split("//")[1]);
        await using var game = await AbathurGame.ConnectAsync($"{transport}://{relay.Address}");
        var (sequence, loop, isBroken) = (0ul, 0u, false);
        await foreach (var frame in game.Frames(Columns))
        {
            if (frame.Reconnected)
            {
                Assert.True(isBroken);
                Assert.Equal(frame.Sequence - sequence - 1, frame.Dropped);
                if (frame.Dropped > 0) Assert.Equal((loop + 1, frame.GameLoop - 1), frame.DroppedLoops);
                // Nothing tells what happened meanwhile.
                Assert.Equal(frame.Dropped > 0, frame.SkippedEventsIncomplete);
                return;
            }
            Assert.False(frame.SkippedEventsIncomplete);
            (sequence, loop) = (frame.Sequence, frame.GameLoop);
            if (!isBroken && sequence % 8 == 0)
            {
                isBroken = true;
                relay.Break();
            }
        }
        Assert.Fail("the frames ended");
    }

    [Fact]
    public async Task DaemonThatAcceptsAndIsSilentOnGrpc_IsAConnectException()
    {
        using var listener = Listen(out var address);
        var error = await Assert.ThrowsAsync<ConnectException>(() => AbathurGame.ConnectAsync($"grpc://{address}", Impatient));
        Assert.Contains("does not answer within 1 s", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task DaemonThatAcceptsAndIsSilent_IsAConnectException()
    {
        using var listener = Listen(out var address);
        await using var game = await AbathurGame.ConnectAsync(address, Impatient);
        var error = await Assert.ThrowsAsync<ConnectException>(() => FirstAsync(game, Columns));
        Assert.Contains("does not answer within 1 s", error.Message, StringComparison.Ordinal);
        var refusal = await Assert.ThrowsAnyAsync<AbathurException>(() => game.StatusAsync());
        Assert.True(refusal is ConnectException or RequestException { Code: RequestErrorCode.DeadlineExceeded }, refusal.ToString());
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Cancelled_EndsTheWaitForAFrame(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        using var cancellation = new CancellationTokenSource();
        var reading = Task.Run(() => FirstAsync(game, Columns with { Name = "waiting" }, cancellationToken: cancellation.Token));
        // The daemon has the subscription when it is in its status.
        while ((await game.StatusAsync()).Subscribers.All(each => each.Name != "waiting")) await Task.Delay(10);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task InvalidOptions_AreRefusedByTheDaemon(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--start-paused");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        var error = await Assert.ThrowsAsync<RequestException>(() => FirstAsync(game, Columns with { CompressionLevel = 99 }));
        Assert.Equal(RequestErrorCode.InvalidArgument, error.Code);
        error = await Assert.ThrowsAsync<RequestException>(() => FirstAsync(game, new SubscribeOptions { Fields = ["no.such_field"] }));
        Assert.Equal(RequestErrorCode.InvalidArgument, error.Code);
        Assert.Contains("no", error.Reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task SlowLosslessReaderOfALiveSource_IsASlowConsumerException(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("serve", "--once");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await using var publisher = await game.PublishAsync();
        var observation = CommittedRecording.Observations().First();
        await publisher.PublishAsync(observation);
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every,
            Credits = 1,
            BufferFrames = 2,
            Newest = true,
            Name = "slow",
        };
        await using var frames = game.Frames(options).GetAsyncEnumerator();
        Assert.True(await frames.MoveNextAsync());
        for (var i = 0; i < 10; i++) await publisher.PublishAsync(observation);
        await UntilGoneAsync(game, "slow");
        await Assert.ThrowsAsync<SlowConsumerException>(async () => await frames.MoveNextAsync());
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task BotThatDisconnects_IsASourceLostException(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("serve", "--once");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        var publisher = await game.PublishAsync();
        await publisher.PublishAsync(CommittedRecording.Observations().First());
        await using var frames = game.Frames(Columns with { Newest = true }).GetAsyncEnumerator();
        Assert.True(await frames.MoveNextAsync());
        await publisher.DisposeAsync();
        await Assert.ThrowsAsync<SourceLostException>(async () =>
        {
            // The newest frame may come once more, as a keyframe of the stream.
            while (await frames.MoveNextAsync())
            {
            }
        });
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task LockstepReaderThatDoesNotAnswer_IsAnAckTimeoutException(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--wait-agents", "1");
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        await using var frames = game.Frames(new SubscribeOptions
        {
            Policy = SubscribePolicy.Lockstep,
            LockstepTimeout = TimeSpan.FromMilliseconds(50),
            Name = "silent",
        }).GetAsyncEnumerator();
        Assert.True(await frames.MoveNextAsync());
        await UntilGoneAsync(game, "silent");
        await Assert.ThrowsAsync<AckTimeoutException>(async () => await frames.MoveNextAsync());
    }

    [Theory]
    [InlineData("HTTP/1.1 400 Bad Request\r\n\r\n", "not a ServerMessage")]
    [InlineData("{\"result\":{}}\n", "expected the match")]
    [InlineData("{\"match\":{}}\n\x7f\x7f\x7f\x7f", "over the limit")]
    [InlineData("{\"match\":{}}\n\x03\0\0\0\x01\x02\x03", "not a ServerMessage")]
    [InlineData("{\"match\":{}}\n\x02\0\0\0\x0a\0", "unexpected message Match")]
    [InlineData("{\"match\":{}}\n\x04\0\0\0\x12\x02\x48\x09", "unknown encoding 9")]
    [InlineData("{\"match\":{}}\n\x06\0\0\0\x12\x04\x50\x04\x7a\0", "depends on a keyframe")]
    [InlineData("{\"match\":{}}\n\x06\0\0\0\x12\x04\x48\x03\x7a\0", "cannot be read as columns")]
    [InlineData("{\"match\":{}}\n\x06\0\0\0\x12\x04\x50\x09\x7a\0", "unknown compression 9")]
    [InlineData("{\"match\":{}}\n\x0c\0\0\0\x12\x0a\x50\x03\x7a\0\x88\x01\x81\x80\x80\x20", "declares 67108865 bytes")]
    [InlineData(
        "{\"match\":{\"beganUnixNs\":\"1\"}}\n\x02\0\0\0\x0a\0\x04\0\0\0\x12\x02\x10\x07", "frame 7 is the first of a match", true)]
    public async Task Garbage_IsAProtocolException(string sent, string expected, bool follows = false)
    {
        using var listener = Listen(out var address);
        await using var game = await AbathurGame.ConnectAsync(address, Once);
        using var probe = await listener.AcceptTcpClientAsync();
        var reading = FirstAsync(game, Columns with { Follow = follows });
        using var client = await listener.AcceptTcpClientAsync();
        await client.GetStream().WriteAsync(Encoding.Latin1.GetBytes(sent));
        var error = await Assert.ThrowsAsync<ProtocolException>(() => reading);
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task DaemonThatAnswersSubscribersOnly_IsAskedAsOne()
    {
        using var listener = Listen(out var address);
        await using var game = await AbathurGame.ConnectAsync(address, Once);
        (await listener.AcceptTcpClientAsync()).Dispose();
        var asking = game.StatusAsync();
        using (var refused = await listener.AcceptTcpClientAsync())
        {
            using var lines = new StreamReader(refused.GetStream());
            Assert.Contains("\"status\"", await lines.ReadLineAsync(), StringComparison.Ordinal);
            const string Refusal = "{\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"the first line must be x\",\"fatal\":true}}\n";
            await refused.GetStream().WriteAsync(Encoding.UTF8.GetBytes(Refusal));
        }
        using var client = await listener.AcceptTcpClientAsync();
        using var input = new BinaryReader(client.GetStream());
        var line = new List<byte>();
        while (line.LastOrDefault() != '\n') line.Add(input.ReadByte());
        Assert.Contains("\"subscribe\"", Encoding.UTF8.GetString([.. line]), StringComparison.Ordinal);
        await client.GetStream().WriteAsync("{\"match\":{}}\n"u8.ToArray());
        byte[] question = input.ReadBytes(input.ReadInt32());
        var asked = ClientMessage.Parser.ParseFrom(question);
        var result = new Result { Id = asked.Id, Status = new Status { FramesPublished = 7 } };
        var answer = new ServerMessage { Result = result }.ToByteArray();
        await client.GetStream().WriteAsync((byte[])[.. BitConverter.GetBytes(answer.Length), .. answer]);
        Assert.Equal(7ul, (await asking).FramesPublished);
    }

    [Theory]
    [InlineData("{\"match\":{\"runId\":\"r\"}}\n", true)]
    [InlineData("{\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"X has no field \\\"follow\\\"\",\"fatal\":true}}\n", true)]
    [InlineData("{\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"X has no field \\\"matches\\\"\",\"fatal\":true}}\n", false)]
    public async Task DaemonWithoutRuns_IsTooOld(string answer, bool follows)
    {
        using var listener = Listen(out var address);
        await using var game = await AbathurGame.ConnectAsync(address, Once);
        (await listener.AcceptTcpClientAsync()).Dispose();
        // A request for a run would be answered for another one: what the daemon knows is asked first.
        var asking = follows ? FirstAsync(game, Columns with { Follow = true }) : game.TimelineAsync(runId: "r");
        using var client = await listener.AcceptTcpClientAsync();
        await client.GetStream().WriteAsync(Encoding.UTF8.GetBytes(answer));
        var error = await Assert.ThrowsAsync<RequestException>(() => asking);
        Assert.Equal(RequestErrorCode.Unimplemented, error.Code);
        Assert.Contains("too old", error.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RandomBytes_GiveOnlyExceptionsOfTheLibrary()
    {
        using var listener = Listen(out var address);
        await using var game = await AbathurGame.ConnectAsync(address, Once);
        using var probe = await listener.AcceptTcpClientAsync();
        var random = new Random(11);
        for (var i = 0; i < 300; i++)
        {
            var reading = FirstAsync(game, Columns with { MaxFrameBytes = 1 << 20 });
            using var client = await listener.AcceptTcpClientAsync();
            var message = new byte[random.Next(1, 200)];
            random.NextBytes(message);
            byte[] frame = [0x12, (byte)Math.Min(message.Length, 127), .. message[..Math.Min(message.Length, 127)]];
            await client.GetStream().WriteAsync(
                (byte[])[.. "{\"match\":{}}\n"u8, .. BitConverter.GetBytes(frame.Length), .. frame]);
            client.Close();
            try
            {
                await reading;
            }
            catch (AbathurException)
            {
            }
        }
    }

    private static TcpListener Listen(out string address)
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        address = listener.LocalEndpoint.ToString()!;
        return listener;
    }

    private static async Task UntilGoneAsync(AbathurGame game, string name)
    {
        while ((await game.StatusAsync()).Subscribers.Any(each => each.Name == name)) await Task.Delay(10);
    }

    private static async Task FirstAsync(
        AbathurGame game, SubscribeOptions options, int frames = 1, CancellationToken cancellationToken = default)
    {
        await foreach (var _ in game.Frames(options, cancellationToken))
        {
            if (--frames == 0) return;
        }
    }
}
