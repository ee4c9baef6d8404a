using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Grpc.Tests;

public class GrpcMessageReaderTests
{
    private const int MaxMessageBytes = 1000;

    [Fact]
    public void ReadAsync_AnyChunking_GivesTheSameMessages()
    {
        var messages = Gen.ArrayOf(
            Gen.Choose(0, MaxMessageBytes).Select(length => Enumerable.Range(length, length).Select(value => (byte)value).ToArray()));
        Prop.ForAll(Gen.Zip(messages, Cuts).ToArbitrary(), async input =>
        {
            var (expected, cuts) = input;
            var (actual, failure) = await ReadAllAsync(
                Chunks(expected.SelectMany(message => GrpcFrames.Frame(message)).ToArray(), cuts), null);
            Assert.Null(failure);
            Assert.Equal(expected, actual);
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void ReadAsync_AnyChunkingCompressed_GivesTheSameMessages()
    {
        var messages = Gen.ArrayOf(Gen.Zip(Gen.Choose(1, MaxMessageBytes), Gen.Elements(true, false)));
        Prop.ForAll(Gen.Zip(messages, Cuts).ToArbitrary(), async input =>
        {
            var (lengths, cuts) = input;
            var expected = lengths.Select(each => new byte[each.Item1]).ToArray();
            var body = lengths.SelectMany(each => each.Item2 ? GrpcFrames.Frame(
                GrpcEncoding.Compress(new byte[each.Item1]), flag: 1) : GrpcFrames.Frame(new byte[each.Item1]));
            var (actual, failure) = await ReadAllAsync(Chunks([.. body], cuts), GrpcEncoding.Gzip);
            Assert.Null(failure);
            Assert.Equal(expected, actual);
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
            var (actual, failure) = await ReadAllAsync([body[..length]], null);
            Assert.Equal(messages.Take(ends.Count(end => end <= length) - 1), actual);
            Assert.Equal(ends.Contains(length) ? null : GrpcStatusCode.Internal, failure?.StatusCode);
        }
    }

    [Fact]
    public void ReadAsync_RandomBytes_NeitherCrashesNorReadsOverTheLimit()
    {
        foreach (var encoding in new[] { null, GrpcEncoding.Gzip })
        {
            var bytes = Gen.ArrayOf(Gen.Frequency((3, Gen.Choose(0, 2)), (1, Gen.Choose(0, 255))).Select(value => (byte)value));
            Prop.ForAll(Gen.Zip(bytes, Cuts).ToArbitrary(), async input =>
            {
                var (messages, _) = await ReadAllAsync(Chunks(input.Item1, input.Item2), encoding);
                Assert.All(messages, message => Assert.InRange(message.Length, 0, MaxMessageBytes));
            }).Check(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(1000)));
        }
    }

    [Theory]
    [InlineData("00000003E9", null, GrpcStatusCode.ResourceExhausted)] // 1001 bytes
    [InlineData("00FFFFFFFF", null, GrpcStatusCode.ResourceExhausted)]
    [InlineData("0200000000", null, GrpcStatusCode.Internal)] // no such flag
    [InlineData("0100000001AB", null, GrpcStatusCode.Internal)] // compressed without grpc-encoding
    [InlineData("0100000001AB", "identity", GrpcStatusCode.Internal)]
    [InlineData("0100000001AB", "gzip", GrpcStatusCode.Internal)] // not gzip
    [InlineData("010000000100", "gzip", GrpcStatusCode.Internal)]
    public async Task ReadAsync_WrongPrefix_FailsWithItsStatusAgainAndAgain(string hex, string? encoding, GrpcStatusCode expected)
    {
        var pipe = new Pipe();
        await pipe.Writer.WriteAsync(Convert.FromHexString(hex));
        using var reader = new GrpcMessageReader(pipe.Reader, new ByteBudget(long.MaxValue), encoding)
        {
            MaxMessageBytes = MaxMessageBytes,
        };
        Assert.Equal(expected, (await Assert.ThrowsAsync<GrpcException>(() => reader.ReadAsync(default).AsTask())).StatusCode);
        await pipe.Writer.CompleteAsync();
        if (hex.StartsWith("01", StringComparison.Ordinal)) Assert.Null(await reader.ReadAsync(default)); // the framing still holds
        else await Assert.ThrowsAsync<GrpcException>(() => reader.ReadAsync(default).AsTask());
    }

    [Fact]
    public async Task ReadAsync_GzipCutAtEveryByte_IsRefused()
    {
        var compressed = GrpcEncoding.Compress(new byte[500]);
        for (var length = 1; length < compressed.Length; length++)
        {
            var (messages, failure) = await ReadAllAsync([GrpcFrames.Frame(compressed.AsSpan(0, length), flag: 1)], GrpcEncoding.Gzip);
            Assert.Empty(messages);
            // Its last four bytes are taken for the length that it decompresses to.
            Assert.Contains(failure?.StatusCode, new GrpcStatusCode?[] { GrpcStatusCode.Internal, GrpcStatusCode.ResourceExhausted });
        }
    }

    [Fact]
    public async Task ReadAsync_CompressedToNothing_IsAnEmptyMessage()
    {
        var (messages, failure) = await ReadAllAsync([GrpcFrames.Frame([], flag: 1)], GrpcEncoding.Gzip);
        Assert.Null(failure);
        Assert.Empty(Assert.Single(messages));
    }

    [Fact]
    public async Task ReadAsync_GzipBomb_IsStoppedAtTheLimit()
    {
        var bomb = GrpcEncoding.Compress(new byte[100_000]);
        Assert.InRange(bomb.Length, 0, MaxMessageBytes);
        var (_, failure) = await ReadAllAsync([GrpcFrames.Frame(bomb, flag: 1)], GrpcEncoding.Gzip);
        Assert.Equal(GrpcStatusCode.ResourceExhausted, failure?.StatusCode);
    }

    [Fact]
    public async Task ReadAsync_GzipThatClaimsLessThanItIs_IsRefusedAndGivesBackWhatItHeld()
    {
        var bomb = GrpcEncoding.Compress(new byte[100_000]);
        BinaryPrimitives.WriteUInt32LittleEndian(bomb.AsSpan(^4), 10);
        var budget = new ByteBudget(1000);
        var (_, failure) = await ReadAllAsync([GrpcFrames.Frame(bomb, flag: 1)], GrpcEncoding.Gzip, budget);
        Assert.Equal(GrpcStatusCode.Internal, failure?.StatusCode);
        Assert.Equal(0, budget.HeldBytes);
    }

    [Theory]
    [InlineData(700, true)]
    [InlineData(699, false)]
    public async Task ReadAsync_IncompleteMessages_CountAgainstTheBudgetUntilTheyAreRead(int budgetBytes, bool fits)
    {
        var budget = new ByteBudget(budgetBytes);
        var pipe = new Pipe(new PipeOptions(readerScheduler: PipeScheduler.Inline, useSynchronizationContext: false));
        using var reader = new GrpcMessageReader(pipe.Reader, budget, null) { MaxMessageBytes = MaxMessageBytes };
        var message = GrpcFrames.Frame(new byte[900]);
        var reading = reader.ReadAsync(default).AsTask();
        await pipe.Writer.WriteAsync(message.AsMemory(0, 700));
        if (!fits)
        {
            Assert.Equal(GrpcStatusCode.ResourceExhausted, (await Assert.ThrowsAsync<GrpcException>(() => reading)).StatusCode);
            reader.Dispose();
            Assert.Equal(0, budget.HeldBytes);
            return;
        }
        Assert.Equal(700, budget.HeldBytes);
        await pipe.Writer.WriteAsync(message.AsMemory(700));
        Assert.Equal(900, (await reading)!.Value.Length);
        await pipe.Writer.CompleteAsync();
        Assert.Null(await reader.ReadAsync(default));
        Assert.Equal(0, budget.HeldBytes);
    }

    [Fact]
    public async Task ReadAsync_Cancelled_CanBeReadOn()
    {
        var pipe = new Pipe();
        using var reader = new GrpcMessageReader(pipe.Reader, new ByteBudget(long.MaxValue), null) { MaxMessageBytes = MaxMessageBytes };
        using var cancellation = new CancellationTokenSource();
        var reading = reader.ReadAsync(cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading);
        await pipe.Writer.WriteAsync(GrpcFrames.Frame([7]));
        Assert.Equal([7], (await reader.ReadAsync(default))!.Value.ToArray());
    }

    /// <summary>Lengths of the chunks that a body comes in; the last one takes what remains.</summary>
    private static Gen<int[]> Cuts => Gen.ArrayOf(Gen.Choose(1, 700));

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

    private static async Task<(List<byte[]> Messages, GrpcException? Failure)> ReadAllAsync(
        IEnumerable<byte[]> chunks, string? encoding, ByteBudget? budget = null)
    {
        var pipe = new Pipe();
        using var reader = new GrpcMessageReader(pipe.Reader, budget ?? new ByteBudget(long.MaxValue), encoding)
        {
            MaxMessageBytes = MaxMessageBytes,
        };
        var messages = new List<byte[]>();
        var reading = ReadToEndAsync();
        foreach (var chunk in chunks) await pipe.Writer.WriteAsync(chunk);
        await pipe.Writer.CompleteAsync();
        var failure = await reading;
        return (messages, failure);

        async Task<GrpcException?> ReadToEndAsync()
        {
            try
            {
                while (await reader.ReadAsync(default) is { } message) messages.Add(message.ToArray());
                return null;
            }
            catch (GrpcException e)
            {
                await pipe.Reader.CompleteAsync();
                return e;
            }
        }
    }
}
