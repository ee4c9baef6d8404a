using System.Buffers;
using System.IO.Pipelines;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.Socket;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Transports;

/// <summary>What clients send of messages that are not complete is limited, for all of them together.</summary>
public sealed class BoundedInputTests
{
    private const int Half = 600 * 1024;
    private readonly ByteBudget _budget = new(1024 * 1024);
    private readonly ManualClock _clock = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task IncompleteMessages_OfAllConnections_ShareTheirBytes(bool lines)
    {
        var (first, firstRead) = Begin(lines, Half);
        Assert.InRange(_budget.HeldBytes, Half, Half + 64);
        var (second, secondRead) = Begin(lines, Half);
        var refused = await Assert.ThrowsAsync<RefusedException>(() => secondRead);
        Assert.Equal(RequestStatus.ResourceExhausted, refused.Status);
        second.Dispose();
        // A small one has room, whatever the others hold.
        var (third, thirdRead) = Begin(lines, 1000);
        Assert.False(thirdRead.IsCompleted || firstRead.IsCompleted);
        third.Dispose();
        first.Dispose();
        Assert.Equal(0, _budget.HeldBytes);
    }

    [Fact]
    public async Task CompleteMessage_GivesItsBytesBack()
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        using var input = new BoundedInput(pipe.Reader, _budget, _clock);
        var read = JsonLine.ReadAsync(input, CancellationToken.None).AsTask();
        await pipe.Writer.WriteAsync(new byte[Half].Select(_ => (byte)' ').ToArray());
        Assert.False(read.IsCompleted);
        await pipe.Writer.WriteAsync("{\"ack\":{\"sequence\":\"7\"}}\n"u8.ToArray());
        Assert.Equal(7ul, (await read)!.Ack.Sequence);
        Assert.Equal(0, _budget.HeldBytes);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Message_ThatIsNotCompleteInTime_IsRefused(bool lines)
    {
        var (input, read) = Begin(lines, 1000);
        using (input)
        {
            Assert.True(_clock.HasWaiter);
            _clock.Advance(IncompleteMessages.TimeLimit);
            var refused = await Assert.ThrowsAsync<RefusedException>(() => read);
            Assert.Equal(RequestStatus.DeadlineExceeded, refused.Status);
            Assert.Equal("a message was not complete 10 s after its first byte", refused.Message);
        }
    }

    [Fact]
    public async Task Silence_BetweenMessages_MayLast()
    {
        var pipe = new Pipe();
        using var input = new BoundedInput(pipe.Reader, _budget, _clock);
        for (var i = 0; i < 3; i++)
        {
            var read = JsonLine.ReadAsync(input, CancellationToken.None).AsTask();
            Assert.False(_clock.HasWaiter);
            _clock.Advance(10 * IncompleteMessages.TimeLimit);
            Assert.False(read.IsCompleted);
            await pipe.Writer.WriteAsync("{\"status\":{}}\n"u8.ToArray());
            Assert.NotNull((await read)!.Status);
        }
    }

    /// <summary>Sends the first bytes of a message on a new connection, and waits for the rest of it.</summary>
    private (BoundedInput Input, Task<ClientMessage?> Read) Begin(bool lines, int bytes)
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        var input = new BoundedInput(pipe.Reader, _budget, _clock);
        if (!lines) pipe.Writer.Write(BitConverter.GetBytes(LengthPrefixedWire.MaxBytes));
        pipe.Writer.Write(new byte[bytes]);
        // What was flushed before the first read is there at once: the read ends, or waits for more, before it returns.
        _ = pipe.Writer.FlushAsync().AsTask();
        var read = lines
            ? JsonLine.ReadAsync(input, CancellationToken.None).AsTask()
            : new LengthPrefixedWire(input, null!).ReadAsync(CancellationToken.None).AsTask();
        return (input, read);
    }
}
