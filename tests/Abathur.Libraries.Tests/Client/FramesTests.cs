using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>Frames of the real daemon, in every encoding and compression.</summary>
public class FramesTests
{
    private static readonly string[] Play = ["play", CommittedRecording.Path, "--rate", "unlimited", "--wait-agents", "1"];

    [Theory]
    [InlineData(FrameEncoding.Columns, FrameCompression.ZstdStream)]
    [InlineData(FrameEncoding.Columns, FrameCompression.None)]
    [InlineData(FrameEncoding.Columns, FrameCompression.BrotliStream)]
    [InlineData(FrameEncoding.Columns, FrameCompression.Zstd)]
    [InlineData(FrameEncoding.Proto, FrameCompression.None)]
    [InlineData(FrameEncoding.Proto, FrameCompression.Gzip)]
    [InlineData(FrameEncoding.Proto, FrameCompression.Brotli)]
    [InlineData(FrameEncoding.Proto, FrameCompression.Zstd)]
    [InlineData(FrameEncoding.Proto, FrameCompression.ZstdStream)]
    [InlineData(FrameEncoding.Proto, FrameCompression.BrotliStream)]
    [InlineData(FrameEncoding.Json, FrameCompression.None)]
    public async Task Every_InAnyEncoding_GivesAllObservations(FrameEncoding encoding, FrameCompression compression)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "unlimited", "--wait-agents", "2");
        await Task.WhenAll(ReadAsync("socket"), ReadAsync("grpc"));

        Task ReadAsync(string transport) => Task.Run(() => CompareAsync(daemon.Address(transport), encoding, compression));
    }

    private static async Task CompareAsync(string address, FrameEncoding encoding, FrameCompression compression)
    {
        await using var game = await AbathurGame.ConnectAsync(address);
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every,
            Encoding = encoding,
            Compression = compression,
            MaxFrames = 120,
        };
        var expected = CommittedRecording.Observations().GetEnumerator();
        var frames = 0;
        await foreach (var frame in game.Frames(options))
        {
            Assert.True(expected.MoveNext());
            Assert.Equal((ulong)++frames, frame.Sequence);
            Assert.Equal((0ul, null, false), (frame.Dropped, frame.DroppedLoops, frame.Reconnected));
            if (encoding == FrameEncoding.Proto) Assert.Equal(expected.Current, frame.ObservationBytes.ToArray());
            var observation = ResponseObservation.Parser.ParseFrom(expected.Current);
            UnitAssert.Equal(observation, frame, isOrdered: encoding != FrameEncoding.Columns);
        }
        Assert.Equal(120, frames);
    }

    [Theory]
    [Trait(Kinds.Trait, Kinds.Measured)]
    [InlineData(FrameEncoding.Columns, FrameCompression.ZstdStream)]
    [InlineData(FrameEncoding.Proto, FrameCompression.None)]
    [InlineData(FrameEncoding.Json, FrameCompression.None)]
    public async Task Latest_NewReaderOfANewDaemon_DropsNothing(FrameEncoding encoding, FrameCompression compression)
    {
        // The runner's own work blocks threads of the pool, which is slow to add others.
        ThreadPool.SetMinThreads(8, 8);
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--wait-agents", "1");
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        var options = new SubscribeOptions { Encoding = encoding, Compression = compression, MaxFrames = 30 };
        var dropped = new List<ulong>();
        await foreach (var frame in game.Frames(options)) dropped.Add(frame.Dropped);
        Assert.Equal(Enumerable.Repeat(0ul, 30), dropped);
    }

    [Theory]
    [InlineData("socket", SubscribePolicy.Latest)]
    [InlineData("socket", SubscribePolicy.Every)]
    [InlineData("socket", SubscribePolicy.Lockstep)]
    [InlineData("grpc", SubscribePolicy.Latest)]
    [InlineData("grpc", SubscribePolicy.Every)]
    [InlineData("grpc", SubscribePolicy.Lockstep)]
    public async Task AnyPolicy_AccountsForEveryFrame(string transport, SubscribePolicy policy)
    {
        using var daemon = await DaemonProcess.StartAsync(Play);
        await using var game = await AbathurGame.ConnectAsync(daemon.Address(transport));
        var options = new SubscribeOptions
        {
            Policy = policy,
            Encoding = FrameEncoding.Columns,
            Compression = FrameCompression.ZstdStream,
        };
        var (frames, dropped, last, loop) = (0ul, 0ul, 0ul, 0u);
        await foreach (var frame in game.Frames(options))
        {
            Assert.Equal(last + 1 + frame.Dropped, frame.Sequence);
            // Before the first one, the last is not known.
            if (frame.Dropped > 0 && last > 0) Assert.Equal((loop + 1, frame.GameLoop - 1), frame.DroppedLoops);
            (frames, dropped, last, loop) = (frames + 1, dropped + frame.Dropped, frame.Sequence, frame.GameLoop);
        }
        Assert.Equal((ulong)CommittedRecording.Observations().Count(), frames + dropped);
        if (policy != SubscribePolicy.Latest) Assert.Equal(0ul, dropped);
    }
}
