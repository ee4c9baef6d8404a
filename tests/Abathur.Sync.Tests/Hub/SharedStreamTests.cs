using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Tests.Recordings;
using Abathur.Sync.V1;
using Frame = Abathur.Sync.Frames.Frame;

namespace Abathur.Sync.Tests.Hub;

/// <summary>What a stream costs, however many read it. Alone, because what is allocated counts in the whole process.</summary>
[Collection(nameof(Alone))]
public class SharedStreamTests
{
    private const int SmallestObjectBytes = 24;

    [Theory]
    [StreamCompressionData]
    public async Task HundredSubscribers_GetOneEncodedFrameAndNothingIsAllocated(Compression compression)
    {
        var clock = new ManualClock();
        var hub = new FrameHub(new HubOptions { KeyframeIntervalFrames = 0 }, sourceWaits: true, clock);
        hub.Begin(new Match { MatchId = "m" });
        var subscriptions = Enumerable.Range(0, 100).Select(_ => hub.Subscribe(Options(compression))!).ToList();
        var observation = RecordingSample.Observation(1, 50_000);
        for (var loop = 1u; loop <= 50; loop++) await RoundAsync(loop);

        // The whole process is counted, and servers of tests before this one may still be closing connections: the quietest window tells.
        var least = long.MaxValue;
        for (var window = 0u; window < 5; window++)
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            for (var round = 1u; round <= 100; round++) await RoundAsync(50 + (window * 100) + round);
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        // Not even one object for each subscriber: what there is comes from this test's own waiting.
        Assert.InRange(least / 100, 0, (SmallestObjectBytes * 100) - 1);
        subscriptions.ForEach(each => each.Dispose());

        async Task RoundAsync(uint loop)
        {
            var buffer = SharedBuffer.Rent(observation.Length);
            observation.CopyTo(buffer.GetSpan(observation.Length));
            buffer.Advance(observation.Length);
            await hub.PublishAsync(Frame.Rent(loop, FrameStamp.Now(clock), buffer));
            EncodedFrame? shared = null;
            foreach (var subscription in subscriptions)
            {
                EncodedFrame? frame;
                while (!subscription.TryTake(out frame, out _)) await subscription.WaitAsync();
                // One and the same for all: it was encoded once.
                Assert.Same(shared ??= frame, frame);
                frame.Release();
            }
        }
    }

    private static SubscriptionOptions Options(Compression compression) => new()
    {
        Policy = Policy.Latest,
        Encoding = Encoding.Proto,
        Compression = compression,
        CompressionLevel = 4,
        BufferFrames = 32,
        Transport = "test",
        Peer = "test",
    };
}
