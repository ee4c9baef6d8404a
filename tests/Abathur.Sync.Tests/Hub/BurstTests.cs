using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Hub;

/// <summary>Frames of a source that does not wait, while the encoders have no processor.</summary>
public sealed class BurstTests : IDisposable
{
    private const int KiB = 1024;
    private readonly ManualClock _clock = new();
    private readonly EncoderThreads _threads = new(1);
    private readonly TaskCompletionSource _goesOn = new();
    private ulong _sequence;

    public void Dispose() => _goesOn.TrySetResult();

    [Theory]
    [InlineData(64, 4 * KiB)]
    [InlineData(45, 180 * KiB)]
    // Eight of any size.
    [InlineData(8, 2048 * KiB)]
    public async Task LosslessReader_GetsEachFrameOfABurst(int frames, int bytes)
    {
        var (stream, reader) = Begin(sourceWaits: false);

        Offer(stream, frames, bytes);
        Assert.Null(reader.Subscription.End);
        _goesOn.SetResult();

        for (var i = 0; i < frames; i++) await reader.NextAsync();
        Assert.Equal(Enumerable.Range(1, frames).Select(loop => (uint)loop), reader.Loops);
        Assert.All(reader.Taken, taken => Assert.Equal(0u, taken.Frame.Dropped));
        await EndAsync(stream, reader);
    }

    // One more than the queue has room for, and one that the stream may have taken from it already.
    [Theory]
    [InlineData(false, 66, 4 * KiB)]
    [InlineData(false, 48, 180 * KiB)]
    [InlineData(false, 10, 2048 * KiB)]
    // A source that can wait does so: it never offers this many.
    [InlineData(true, 10, 4 * KiB)]
    public async Task LosslessReader_IsToldWhenTheBurstIsTooLong(bool sourceWaits, int frames, int bytes)
    {
        var (stream, reader) = Begin(sourceWaits);

        Offer(stream, frames, bytes);

        Assert.Equal(SubscriptionEndReason.SlowConsumer, reader.Subscription.End?.Reason);
        Assert.Contains("does not keep up", reader.Subscription.End?.Message, StringComparison.Ordinal);
        _goesOn.SetResult();
        await EndAsync(stream, reader);
    }

    [Fact]
    public async Task SkippingReader_GetsTheNewestFrameOfABurst()
    {
        var (stream, reader) = Begin(sourceWaits: false, Policy.Latest);

        Offer(stream, 70, 4 * KiB);
        _goesOn.SetResult();

        // One that the stream may have taken already, then the newest.
        while ((await reader.NextAsync()).GameLoop < 70)
        {
        }
        Assert.InRange(reader.Taken.Count, 1, 2);
        Assert.Equal(70ul, reader.Taken.Aggregate(0ul, (sum, taken) => sum + 1 + taken.Frame.Dropped));
        await EndAsync(stream, reader);
    }

    /// <summary>A stream whose only thread is held until <see cref="_goesOn"/>.</summary>
    private (FrameStream Stream, StreamReader Reader) Begin(bool sourceWaits, Policy policy = Policy.Every)
    {
        _threads.Add(_goesOn.Task.Wait, TimeSpan.Zero, isSlow: false);
        var options = new SubscriptionOptions
        {
            Policy = policy,
            Encoding = Encoding.Proto,
            Compression = V1.Compression.ZstdStream,
            CompressionLevel = 1,
            BufferFrames = 128,
            Transport = "test",
            Peer = "test",
        };
        var stream = FrameStream.Create(
            StreamKey.For(options),
            new StreamContext(new HubShare(new HubOptions(), _clock), sourceWaits, _threads, RetainNewest: () => null));
        var subscription = new Subscription(1, options, 1, _clock, _ => { });
        stream.Add(subscription);
        return (stream, new StreamReader(subscription, options.Compression));
    }

    private void Offer(FrameStream stream, int frames, int bytes)
    {
        for (var i = 0; i < frames; i++)
        {
            var gameLoop = (uint)++_sequence;
            var frame = SharedFrame.Rent(
                gameLoop, FrameStamp.Now(_clock), SharedBuffer.CopyOf(RecordingSample.Observation(gameLoop, bytes)));
            frame.MarkPublished("m", _sequence, default);
            stream.Offer(frame);
            frame.Release();
        }
    }

    private static async Task EndAsync(FrameStream stream, StreamReader reader)
    {
        stream.Finish(SubscriptionEnd.Complete);
        await stream.Encoding.WaitAsync(TimeSpan.FromSeconds(20));
        reader.Dispose();
        reader.Subscription.Dispose();
        stream.Dispose();
    }
}
