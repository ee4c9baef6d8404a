using System.Buffers;
using System.IO.Pipelines;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.Grpc;
using FsCheck;
using FsCheck.Fluent;
using Grpc.Core;

namespace Abathur.Sync.Tests.Transports.Grpc;

/// <summary>The limits on a request's body, for a reader that does what the gRPC library does.</summary>
public sealed class GrpcRequestBodyTests
{
    private const int MaxMessageBytes = 1000;
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);
    private readonly ByteBudget _budget = new(long.MaxValue);
    private readonly ManualClock _clock = new();

    /// <summary>Lengths of the chunks that a body comes in; the last one takes what remains.</summary>
    private static Gen<int[]> Cuts => Gen.ArrayOf(Gen.Choose(1, 700));

    [Fact]
    public void ReadAsync_AnyChunking_GivesTheSameMessages()
    {
        var messages = Gen.ArrayOf(
            Gen.Choose(0, MaxMessageBytes).Select(length => Enumerable.Range(length, length).Select(value => (byte)value).ToArray()));
        Prop.ForAll(Gen.Zip(messages, Cuts).ToArbitrary(), async input =>
        {
            var (expected, cuts) = input;
            var body = expected.SelectMany(message => GrpcFrames.Frame(message)).ToArray();
            var (actual, failure) = await ReadAllAsync(Chunks(body, cuts));
            Assert.Null(failure);
            Assert.Equal(expected, actual);
            Assert.Equal(0, _budget.HeldBytes);
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public async Task ReadAsync_CutAtEveryByte_GivesTheWholeMessagesThenInternal()
    {
        byte[][] messages = [[1, 2, 3], [], [4, 5, 6, 7, 8]];
        var body = messages.SelectMany(message => GrpcFrames.Frame(message)).ToArray();
        int[] ends = [0, 8, 13, 23];
        for (var length = 0; length <= body.Length; length++)
        {
            var (actual, failure) = await ReadAllAsync([body[..length]]);
            Assert.Equal(messages.Take(ends.Count(end => end <= length) - 1), actual);
            Assert.Equal(ends.Contains(length) ? null : StatusCode.Internal, failure?.StatusCode);
        }
    }

    [Fact]
    public void ReadAsync_RandomBytes_NeitherCrashesNorReadsOverTheLimit()
    {
        var bytes = Gen.ArrayOf(Gen.Frequency((3, Gen.Choose(0, 2)), (1, Gen.Choose(0, 255))).Select(value => (byte)value));
        Prop.ForAll(Gen.Zip(bytes, Cuts).ToArbitrary(), async input =>
        {
            var (messages, _) = await ReadAllAsync(Chunks(input.Item1, input.Item2));
            Assert.All(messages, message => Assert.InRange(message.Length, 0, MaxMessageBytes));
            Assert.Equal(0, _budget.HeldBytes);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(1000)));
    }

    [Theory]
    [InlineData("00000003E9", StatusCode.ResourceExhausted)] // 1001 bytes
    [InlineData("00FFFFFFFF", StatusCode.ResourceExhausted)]
    [InlineData("0200000000", StatusCode.Internal)] // no such flag
    [InlineData("0100000001AB", StatusCode.Unimplemented)] // compressed
    public async Task ReadAsync_WrongPrefix_FailsWithItsStatusAgainAndAgain(string hex, StatusCode expected)
    {
        var pipe = new Pipe();
        await pipe.Writer.WriteAsync(Convert.FromHexString(hex));
        using var body = Body(pipe.Reader);
        for (var i = 0; i < 2; i++)
            Assert.Equal(expected, (await Assert.ThrowsAsync<RpcException>(() => body.ReadAsync().AsTask())).StatusCode);
    }

    [Theory]
    [InlineData(700, true)]
    [InlineData(699, false)]
    public async Task ReadAsync_IncompleteMessages_CountAgainstTheBudgetUntilTheyAreRead(int budgetBytes, bool fits)
    {
        var budget = new ByteBudget(budgetBytes);
        var pipe = new Pipe();
        using var body = new GrpcRequestBody(pipe.Reader, budget, MaxMessageBytes, isStream: true, _clock);
        var message = GrpcFrames.Frame(new byte[900]);
        var reading = GrpcFrames.ReadAllAsync(body);
        await pipe.Writer.WriteAsync(message.AsMemory(0, 700));
        if (!fits)
        {
            Assert.Equal(StatusCode.ResourceExhausted, (await reading.WaitAsync(Long)).Failure?.StatusCode);
            Assert.Equal(0, budget.HeldBytes);
            return;
        }
        Assert.True(SpinWait.SpinUntil(() => budget.HeldBytes == 700, Long));
        await pipe.Writer.WriteAsync(message.AsMemory(700));
        Assert.True(SpinWait.SpinUntil(() => budget.HeldBytes == 0, Long));
        await pipe.Writer.CompleteAsync();
        var (messages, failure) = await reading.WaitAsync(Long);
        Assert.Null(failure);
        Assert.Equal(900, Assert.Single(messages).Length);
    }

    [Fact]
    public async Task Dispose_WithinAMessage_GivesBackWhatItHeld()
    {
        var pipe = new Pipe();
        var body = Body(pipe.Reader);
        var reading = GrpcFrames.ReadAllAsync(body);
        await pipe.Writer.WriteAsync(GrpcFrames.Frame(new byte[900]).AsMemory(0, 700));
        Assert.True(SpinWait.SpinUntil(() => _budget.HeldBytes == 700, Long));
        body.Dispose();
        Assert.Equal(0, _budget.HeldBytes);
        await pipe.Writer.CompleteAsync();
        await reading.WaitAsync(Long);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(50)]
    public async Task ReadAsync_FirstMessageNotCompleteInTime_EndsTheCall(int bytes)
    {
        var pipe = new Pipe();
        using var body = Body(pipe.Reader);
        var reading = GrpcFrames.ReadAllAsync(body);
        await pipe.Writer.WriteAsync(GrpcFrames.Frame(new byte[100]).AsMemory(0, bytes));
        _clock.Advance(GrpcRequestBody.FirstMessageTimeout - TimeSpan.FromMilliseconds(1));
        Assert.False(reading.IsCompleted);
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(StatusCode.DeadlineExceeded, (await reading.WaitAsync(Long)).Failure?.StatusCode);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ReadAsync_TimeLimit_IsThatOfTheFirstMessageOfAStreamAndOfTheEndOfOthers(bool isStream)
    {
        var pipe = new Pipe();
        using var body = new GrpcRequestBody(pipe.Reader, _budget, MaxMessageBytes, isStream, _clock);
        var reading = GrpcFrames.ReadAllAsync(body);
        await pipe.Writer.WriteAsync(GrpcFrames.Frame([7]));
        // The timer of a stream is gone when the message has been taken.
        if (isStream) Assert.True(SpinWait.SpinUntil(() => !_clock.HasWaiter, Long));
        _clock.Advance(GrpcRequestBody.FirstMessageTimeout);
        if (isStream)
        {
            Assert.False(reading.IsCompleted);
            await pipe.Writer.CompleteAsync();
        }
        var (messages, failure) = await reading.WaitAsync(Long);
        if (isStream) Assert.Equal([7], Assert.Single(messages));
        Assert.Equal(isStream ? null : StatusCode.DeadlineExceeded, failure?.StatusCode);
    }

    [Fact]
    public async Task ReadAsync_LimitThatHasChanged_IsThatOfTheNextMessage()
    {
        var pipe = new Pipe();
        using var body = Body(pipe.Reader);
        await pipe.Writer.WriteAsync(GrpcFrames.Frame(new byte[10]));
        body.MaxMessageBytes = 9;
        Assert.Equal(StatusCode.ResourceExhausted, (await GrpcFrames.ReadAllAsync(body).WaitAsync(Long)).Failure?.StatusCode);
    }

    [Fact]
    public async Task ReadAsync_Cancelled_CanBeReadOn()
    {
        var pipe = new Pipe();
        using var body = Body(pipe.Reader);
        using var cancellation = new CancellationTokenSource();
        var reading = body.ReadAsync(cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading);
        await pipe.Writer.WriteAsync(GrpcFrames.Frame([7]));
        await pipe.Writer.CompleteAsync();
        Assert.Equal([7], Assert.Single((await GrpcFrames.ReadAllAsync(body)).Messages));
    }

    [Fact]
    public async Task AnyMember_ClientIsGone_FailsAsCancelledAgainAndAgain()
    {
        var gone = new GoneReader();
        using var body = Body(gone);
        var read = await body.ReadAsync();
        gone.IsGone = true;
        AssertCancelled(Assert.Throws<RpcException>(() => body.AdvanceTo(read.Buffer.End)));
        AssertCancelled(await Assert.ThrowsAsync<RpcException>(() => body.ReadAsync().AsTask()));
        using var tried = Body(gone);
        AssertCancelled(Assert.Throws<RpcException>(() => tried.TryRead(out _)));
        AssertCancelled(await Assert.ThrowsAsync<RpcException>(() => tried.ReadAsync().AsTask()));
        using var waited = Body(gone);
        AssertCancelled(await Assert.ThrowsAsync<RpcException>(() => waited.ReadAsync().AsTask()));
        Assert.Equal(0, _budget.HeldBytes);

        static void AssertCancelled(RpcException e) => Assert.Equal(StatusCode.Cancelled, e.StatusCode);
    }

    private GrpcRequestBody Body(PipeReader reader) => new(reader, _budget, MaxMessageBytes, isStream: true, _clock);

    private static IEnumerable<byte[]> Chunks(byte[] bytes, int[] lengths)
    {
        var at = 0;
        foreach (var length in lengths)
        {
            var taken = Math.Min(length, bytes.Length - at);
            yield return bytes[at..(at += taken)];
        }
        yield return bytes[at..];
    }

    private async Task<(List<byte[]> Messages, RpcException? Failure)> ReadAllAsync(IEnumerable<byte[]> chunks)
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        using var body = Body(pipe.Reader);
        var reading = GrpcFrames.ReadAllAsync(body);
        foreach (var chunk in chunks) await pipe.Writer.WriteAsync(chunk);
        await pipe.Writer.CompleteAsync();
        return await reading;
    }

    /// <summary>A message, and a reader that fails as that of the web server does where the stream was reset.</summary>
    private sealed class GoneReader : PipeReader
    {
        public bool IsGone { get; set; }

        private static ReadResult Message => new(new ReadOnlySequence<byte>(GrpcFrames.Frame([7])), isCanceled: false, isCompleted: false);

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        {
            ThrowIfGone();
            return ValueTask.FromResult(Message);
        }

        public override bool TryRead(out ReadResult result)
        {
            ThrowIfGone();
            result = Message;
            return true;
        }

        public override void AdvanceTo(SequencePosition consumed) => ThrowIfGone();

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => ThrowIfGone();

        public override void CancelPendingRead()
        {
        }

        public override void Complete(Exception? exception = null)
        {
        }

        private void ThrowIfGone()
        {
            if (IsGone) throw new IOException("The request stream was aborted.");
        }
    }
}
