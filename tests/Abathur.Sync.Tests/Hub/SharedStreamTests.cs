using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Tests.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Hub;

/// <summary>What a stream costs, however many read it. Alone, because what is allocated counts in the whole process.</summary>
[Collection(nameof(Alone))]
[Trait(Kinds.Trait, Kinds.Measured)]
public class SharedStreamTests
{
    private const int SmallestObjectBytes = 24;
    private const int Subscribers = 100;

    [Theory]
    [StreamCompressionData]
    public async Task HundredSubscribers_GetOneEncodedFrameAndNothingIsAllocated(V1.Compression compression)
    {
        var clock = new ManualClock();
        var run = new MatchRun(new HubOptions { KeyframeIntervalFrames = 0 }, Abilities.Waiting, clock);
        run.Begin(new Match { MatchId = "m" });
        var subscriptions = Enumerable.Range(0, Subscribers).Select(_ => run.Subscribe(Options(compression))!).ToList();
        var observation = RecordingSample.Observation(1, 50_000);
        for (var loop = 1u; loop <= 50; loop++) await RoundAsync(loop);

        // Less than one object for each subscriber and frame; this test's own waits are counted too.
        var last = 50u;
        await Allocated.AtMostInProcessAsync(100 * SmallestObjectBytes * Subscribers - 1, async () =>
        {
            for (var round = 0; round < 100; round++) await RoundAsync(++last);
        });
        subscriptions.ForEach(each => each.Dispose());

        async Task RoundAsync(uint loop)
        {
            var buffer = SharedBuffer.CopyOf(observation);
            await run.PublishAsync(SharedFrame.Rent(loop, FrameStamp.Now(clock), buffer));
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

    private static SubscriptionOptions Options(V1.Compression compression) => new()
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
