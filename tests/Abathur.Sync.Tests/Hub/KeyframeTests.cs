using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Tests.Matches;
using Abathur.Sync.V1;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Sync.Tests.Hub;

/// <summary>Streams whose frames depend on those before them.</summary>
public class KeyframeTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private readonly ManualClock _clock = new();

    [Theory]
    [StreamCompressionData]
    public async Task Join_InTheMiddle_NextFrameIsAKeyframeForAll(V1.Compression compression)
    {
        var run = Hub();
        using var first = Join(run, compression, Policy.Every);
        await Publish(run, first, 1, 2, 3);
        using var second = Join(run, compression, Policy.Latest);
        await Publish(run, first, 4, 5);
        await second.NextAsync();

        Assert.Equal([true, false, false, true, false], first.Taken.Select(taken => taken.Frame.Keyframe));
        Assert.Equal(0ul, second.Taken[0].Frame.Dropped - (ulong)second.Taken[0].Frame.Earlier.Count);
        AssertContent(first, second);
    }

    [Theory]
    [StreamCompressionData]
    public async Task Join_WithTheNewest_SharesOneKeyframeOfItAndThenTheStream(V1.Compression compression)
    {
        var run = Hub();
        using var first = Join(run, compression, Policy.Every);
        await Publish(run, first, 1, 2, 3);
        var newest = Options(compression, Policy.Every) with { BeginsWithNewest = true };
        using var second = new StreamReader(run.Subscribe(newest)!, compression);
        using var third = new StreamReader(run.Subscribe(newest with { Policy = Policy.Latest, BufferFrames = 32 })!, compression);
        // Nothing is published meanwhile: the playback may be paused.
        var (shown, same) = (await second.NextAsync(), await third.NextAsync());
        Assert.Equal((3u, true), (shown.GameLoop, shown.Keyframe));
        // Also when it was encoded: it is one frame.
        Assert.Equal(shown, same);
        Assert.Equal([1u, 2u, 3u], first.Loops);

        await Publish(run, first, 4, 5);
        await second.NextAsync();
        await second.NextAsync();
        while (third.Last.GameLoop < 5) await third.NextAsync();
        Assert.Equal([3u, 4u, 5u], second.Loops);
        // From here on it is the same stream: one keyframe for all.
        Assert.Equal(first.Taken[^2..].Select(taken => taken.Frame.ToString()), second.Taken[^2..].Select(taken => taken.Frame.ToString()));
        Assert.Equal([true, false, false, true, false], first.Taken.Select(taken => taken.Frame.Keyframe));
        AssertDecoded(first, second, third);
    }

    [Theory]
    [StreamCompressionData]
    public async Task Join_WithTheNewestWhileFramesGoOn_LosesNoneAndSeesNoneTwice(V1.Compression compression)
    {
        var run = Hub();
        using var first = Join(run, compression, Policy.Every, buffer: 1000);
        var readers = new List<StreamReader>();
        for (var loop = 1u; loop <= 300; loop++)
        {
            await Publish(run, loop);
            if (loop % 10 != 0) continue;
            readers.Add(new StreamReader(
                run.Subscribe(Options(compression, Policy.Every, buffer: 1000) with { BeginsWithNewest = true })!, compression));
            if (loop % 20 == 0) await Task.Yield();
        }
        foreach (var reader in readers)
        {
            while (reader.Taken.Count == 0 || reader.Last.GameLoop < 300) await reader.NextAsync();
            // Without a gap from where it began.
            Assert.Equal(Enumerable.Range((int)reader.Loops[0], reader.Loops.Count).Select(loop => (uint)loop), reader.Loops);
            Assert.All(reader.Taken, taken => Assert.Equal(0ul, taken.Frame.Dropped));
            AssertDecoded(reader);
            reader.Dispose();
        }
    }

    [Theory]
    [StreamCompressionData]
    public async Task Behind_NothingIsPublishedAnyMore_GetsTheNewestAndThenTheStream(V1.Compression compression)
    {
        var run = Hub();
        using var first = Join(run, compression, Policy.Every);
        using var slow = Join(run, compression, Policy.Latest);
        await Publish(run, first, [.. Enumerable.Range(1, 40).Select(loop => (uint)loop)]);
        // It has dropped more than may wait. The bot thinks, or the game is paused.
        var reading = slow.NextAsync();
        while (!reading.IsCompleted)
        {
            _clock.Advance(TimeSpan.FromMilliseconds(10));
            await Task.Yield();
        }
        var newest = await reading;
        Assert.Equal((40u, true, 39ul), (newest.GameLoop, newest.Keyframe, newest.Dropped));
        Assert.Equal(39ul, slow.Subscription.Status(40).FramesDropped);

        foreach (var loop in new[] { 41u, 42u })
        {
            await Publish(run, first, loop);
            await slow.NextAsync();
        }
        Assert.Equal([40u, 41u, 42u], slow.Loops);
        Assert.All(slow.Taken.Skip(1), taken => Assert.Equal(0ul, taken.Frame.Dropped));
        AssertContent(first, slow);
    }

    [Theory]
    [StreamCompressionData]
    public async Task SameStream_GetsTheSameBytes_AnotherLevelIsAnotherStream(V1.Compression compression)
    {
        var run = Hub();
        using var first = Join(run, compression, Policy.Every);
        using var same = Join(run, compression, Policy.Every);
        using var other = Join(run, compression, Policy.Every, level: 9);
        for (var loop = 1u; loop <= 5; loop++)
        {
            await Publish(run, first, loop);
            await same.NextAsync();
            await other.NextAsync();
        }
        // Two joined before the first frame: one keyframe.
        Assert.Equal([true, false, false, false, false], first.Taken.Select(taken => taken.Frame.Keyframe));
        Assert.Equal(first.Taken.Select(taken => taken.Frame.ToString()), same.Taken.Select(taken => taken.Frame.ToString()));
        using (Join(run, compression, Policy.Every, level: 9)) await Publish(run, first, 6);
        await other.NextAsync();
        Assert.Equal((false, true), (first.Last.Keyframe, other.Last.Keyframe));
        AssertContent(first, same, other);
    }

    [Theory]
    [StreamCompressionData]
    public async Task Latest_LagsALittle_SkipsToTheNewestWithoutAKeyframe(V1.Compression compression)
    {
        var run = Hub();
        using var steady = Join(run, compression, Policy.Every);
        using var slow = Join(run, compression, Policy.Latest);
        await Publish(run, steady, 1);
        await slow.NextAsync();
        await Publish(run, steady, 2, 3, 4, 5);
        Assert.Equal(4u, slow.Subscription.Status(5).FramesWaiting);

        Assert.True(slow.TakeOne());

        Assert.Equal(
            (5u, 3ul, 2u, 4u, 3),
            (
                slow.Last.GameLoop, slow.Last.Dropped, slow.Last.DroppedFirstGameLoop, slow.Last.DroppedLastGameLoop,
                slow.Last.Earlier.Count));
        Assert.False(slow.TakeOne());
        Assert.Equal(1, steady.Taken.Count(taken => taken.Frame.Keyframe));
        AssertContent(steady, slow);
    }

    [Theory]
    [StreamCompressionData]
    public async Task Latest_KeyframeComesWhileItLags_NothingBeforeItIsSent(V1.Compression compression)
    {
        var run = Hub();
        using var steady = Join(run, compression, Policy.Every);
        using var slow = Join(run, compression, Policy.Latest);
        await Publish(run, steady, 1, 2, 3);
        using var joiner = Join(run, compression, Policy.Every);
        await Publish(run, steady, 4, 5);

        Assert.True(slow.TakeOne());

        Assert.Equal((5u, true, 1, 4ul), (slow.Last.GameLoop, slow.Last.Keyframe, slow.Last.Earlier.Count, slow.Last.Dropped));
        Assert.Equal((1u, 4u), (slow.Last.DroppedFirstGameLoop, slow.Last.DroppedLastGameLoop));
        AssertContent(steady, slow);
    }

    [Theory]
    [StreamCompressionData]
    public async Task Latest_PausedForLong_CostsNobodyAKeyframeUntilItIsBack(V1.Compression compression)
    {
        var run = Hub(interval: 50);
        using var steady = Join(run, compression, Policy.Every);
        using var paused = Join(run, compression, Policy.Latest);
        await Publish(run, steady, 1);
        await paused.NextAsync();
        for (var loop = 2u; loop <= 120; loop++) await Publish(run, steady, loop);
        // By the interval alone: at 1, 51, 101. Even those are not kept for a reader that does not read.
        Assert.Equal([1u, 51, 101], steady.Taken.Where(taken => taken.Frame.Keyframe).Select(taken => taken.Frame.GameLoop));

        Assert.False(paused.TakeOne());
        await Publish(run, steady, 121);
        await paused.NextAsync();

        Assert.Equal((121u, true, 119ul), (paused.Last.GameLoop, paused.Last.Keyframe, paused.Last.Dropped));
        Assert.Equal((2u, 120u, 0), (paused.Last.DroppedFirstGameLoop, paused.Last.DroppedLastGameLoop, paused.Last.Earlier.Count));
        await Publish(run, steady, 122);
        Assert.False((await paused.NextAsync()).Keyframe);
        AssertContent(steady, paused);
    }

    [Theory]
    [StreamCompressionData]
    public async Task Latest_WithCredit_AsksWhenTheCreditIsBack(V1.Compression compression)
    {
        var run = Hub();
        using var steady = Join(run, compression, Policy.Every);
        using var agent = Join(run, compression, Policy.Latest, credits: 1);
        await Publish(run, steady, 1);
        await agent.NextAsync();
        for (var loop = 2u; loop <= 50; loop++)
        {
            await Publish(run, steady, loop);
            Assert.False(agent.TakeOne());
        }
        agent.Subscription.Acknowledge(1);
        Assert.False(agent.TakeOne());
        await Publish(run, steady, 51);
        Assert.Equal((51u, 49ul), ((await agent.NextAsync()).GameLoop, agent.Last.Dropped));
        // Behind by some frames only, it has the newest at once.
        await Publish(run, steady, 52, 53, 54);
        agent.Subscription.Acknowledge(51);
        Assert.True(agent.TakeOne());
        Assert.Equal((54u, 2ul), (agent.Last.GameLoop, agent.Last.Dropped));
        AssertContent(steady, agent);
    }

    [Theory]
    [StreamCompressionData]
    public async Task Latest_PausedAtTheEndOfTheMatch_StillGetsTheLastFrame(V1.Compression compression)
    {
        var run = Hub();
        using var steady = Join(run, compression, Policy.Every);
        using var paused = Join(run, compression, Policy.Latest);
        for (var loop = 1u; loop <= 60; loop++) await Publish(run, steady, loop);
        await run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over")).WaitAsync(Limit);

        Assert.True(paused.TakeOne());

        Assert.Equal((60u, 60ul, true), (paused.Last.GameLoop, paused.Last.Sequence, paused.Last.Keyframe));
        Assert.Equal((59ul, 1u, 59u), (paused.Last.Dropped, paused.Last.DroppedFirstGameLoop, paused.Last.DroppedLastGameLoop));
        Assert.False(paused.TakeOne());
        Assert.Equal(60, steady.Taken.Count);
        AssertContent(steady, paused);
    }

    [Theory]
    [StreamCompressionData]
    public async Task Interval_AndSeekBack_MakeKeyframes(V1.Compression compression)
    {
        // In frames, not game loops: a bot that steps eight at a time would get almost nothing else.
        var run = Hub(interval: 3);
        using var reader = Join(run, compression, Policy.Every);
        await Publish(run, reader, 100, 108, 116, 124, 132, 140, 148, 50, 58, 66, 74);
        Assert.Equal([100u, 124, 148, 50, 74], reader.Taken.Where(taken => taken.Frame.Keyframe).Select(taken => taken.Frame.GameLoop));
        Assert.Equal(5ul, reader.Subscription.Status(74).Keyframes);
        AssertContent(reader);
    }

    [Theory]
    [StreamCompressionData]
    public async Task Interval_Zero_OnlyOnDemand(V1.Compression compression)
    {
        var run = Hub(interval: 0);
        using var reader = Join(run, compression, Policy.Every);
        await Publish(run, reader, 1, 1_000_000, uint.MaxValue);
        Assert.Equal([true, false, false], reader.Taken.Select(taken => taken.Frame.Keyframe));
    }

    [Theory]
    [StreamCompressionData]
    public async Task Every_PlaybackFasterThanItsReader_LosesNothing(V1.Compression compression)
    {
        var run = Hub();
        using var reader = Join(run, compression, Policy.Every, buffer: 2);
        var publishing = Task.Run(async () =>
        {
            for (var loop = 1u; loop <= 100; loop++) await Publish(run, loop);
        });
        while (reader.Taken.Count < 100) await reader.NextAsync();
        await publishing.WaitAsync(Limit);
        Assert.Equal(Enumerable.Range(1, 100).Select(loop => (uint)loop), reader.Loops);
        Assert.Equal(1, reader.Taken.Count(taken => taken.Frame.Keyframe));
        AssertContent(reader);
    }

    [Theory]
    [StreamCompressionData]
    public async Task EncodeQueueLeavesFramesOut_NoKeyframeIsNeeded(V1.Compression compression)
    {
        // Without lossless subscribers, the queue of the encoder holds one frame.
        var run = Hub(sourceWaits: false);
        using var reader = Join(run, compression, Policy.Latest);
        for (var loop = 1u; loop <= 500; loop++)
        {
            await Publish(run, loop);
            reader.TakeAll();
        }
        await run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over")).WaitAsync(Limit);
        reader.TakeAll();
        Assert.Equal(500u, reader.Last.GameLoop);
        Assert.Equal(500ul, (ulong)reader.Taken.Count + reader.Taken.Aggregate(0ul, (sum, taken) => sum + taken.Frame.Dropped));
        AssertContent(reader);
    }

    [Theory]
    [StreamCompressionData]
    public void AnyOrderOfFramesJoinsAndSkips_EveryFrameDecodesToItsObservation(V1.Compression compression) => Check.One(
        Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(40)),
        Prop.ForAll<byte[], bool>((steps, sourceWaits) =>
        {
            RunAsync(compression, steps, sourceWaits).WaitAsync(Limit).GetAwaiter().GetResult();
            return true;
        }));

    private async Task RunAsync(V1.Compression compression, byte[] steps, bool sourceWaits)
    {
        var run = Hub(interval: 40, sourceWaits: sourceWaits);
        var readers = new List<StreamReader>();
        var loop = 1000u;
        foreach (var step in steps)
        {
            switch (step % 16)
            {
                case 0:
                    readers.Add(Join(
                        run, compression, sourceWaits && step % 3 == 0 ? Policy.Every : Policy.Latest, credits: step % 5 == 0 ? 2 : 0));
                    break;
                case 1 when readers.Count > 0:
                    readers[step / 16 % readers.Count].Dispose();
                    readers.RemoveAt(step / 16 % readers.Count);
                    break;
                case 2:
                    loop -= 500;
                    await PublishToAll(1);
                    break;
                case 3:
                    // Longer than what may wait.
                    await PublishToAll(40);
                    break;
                case < 10:
                    await PublishToAll(1 + (step / 16 % 4));
                    break;
                default:
                    foreach (var reader in readers.Where(reader => ((int)reader.Subscription.Id + step) % 3 > 0))
                    {
                        reader.TakeAll();
                        if (reader.Taken.Count > 0) reader.Subscription.Acknowledge(reader.Last.Sequence);
                    }
                    break;
            }
        }
        await run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));
        foreach (var reader in readers)
        {
            while (reader.TakeAll()) reader.Subscription.Acknowledge(reader.Last.Sequence);
            if (run.Hub.Sequence >= reader.Subscription.FirstSequence) Assert.Equal(run.Hub.Sequence, reader.Last.Sequence);
            for (var i = 1; i < reader.Taken.Count; i++)
            {
                var (before, after) = (reader.Taken[i - 1].Frame, reader.Taken[i].Frame);
                Assert.Equal(after.Sequence - before.Sequence - 1, after.Dropped);
            }
            AssertDecoded(reader);
            reader.Dispose();
        }

        async Task PublishToAll(int count)
        {
            for (; count > 0; count--)
            {
                // The playback waits for lossless readers.
                foreach (var reader in readers.Where(reader => reader.Subscription.IsLossless)) reader.TakeAll();
                foreach (var reader in readers.Where(reader => reader.Subscription.IsLossless && reader.Taken.Count > 0))
                    reader.Subscription.Acknowledge(reader.Last.Sequence);
                await Publish(run, loop++);
            }
        }
    }

    private static void AssertContent(params StreamReader[] readers)
    {
        Assert.All(readers, reader => Assert.NotEmpty(reader.Taken));
        AssertDecoded(readers);
    }

    private static void AssertDecoded(params StreamReader[] readers)
    {
        foreach (var reader in readers)
        {
            foreach (var (frame, plain) in reader.Taken) Assert.Equal(Observation(frame.GameLoop), plain);
            reader.Taken.Zip(reader.Taken.Skip(1))
                .ToList()
                .ForEach(pair => Assert.True(pair.First.Frame.Sequence < pair.Second.Frame.Sequence));
        }
    }

    private MatchRun Hub(uint interval = 224, bool sourceWaits = true)
    {
        var run = new MatchRun(
            new HubOptions { KeyframeIntervalFrames = interval }, sourceWaits ? Abilities.Waiting : Abilities.NotWaiting, _clock);
        run.Begin(new Match { MatchId = "m" });
        return run;
    }

    private static StreamReader Join(
        MatchRun run, V1.Compression compression, Policy policy, int level = 4, int credits = 0, int buffer = 64) =>
        new(run.Subscribe(Options(compression, policy, level, buffer) with { Credits = credits })!, compression);

    private static SubscriptionOptions Options(V1.Compression compression, Policy policy, int level = 4, int buffer = 64) => new()
    {
        Policy = policy,
        Encoding = Encoding.Proto,
        Compression = compression,
        CompressionLevel = level,
        BufferFrames = policy == Policy.Latest ? 32 : buffer,
        LockstepTimeout = TimeSpan.FromSeconds(10),
        Transport = "test",
        Peer = "test",
    };

    /// <summary>Publishes frames, each when a reader who gets all has taken the one before.</summary>
    private async Task Publish(MatchRun run, StreamReader steady, params uint[] loops)
    {
        foreach (var loop in loops)
        {
            await Publish(run, loop);
            await steady.NextAsync();
            Assert.Equal(loop, steady.Last.GameLoop);
        }
    }

    private ValueTask Publish(MatchRun run, uint gameLoop) =>
        run.PublishAsync(SharedFrame.Rent(gameLoop, FrameStamp.Now(_clock), SharedBuffer.CopyOf(Observation(gameLoop))));

    /// <summary>Sizes from nothing to more than the smallest window; most of it as in the frame before.</summary>
    private static byte[] Observation(uint gameLoop) => gameLoop % 50 == 7 ? [] :
    [
        .. RecordingSample.Observation(gameLoop, 50), .. RecordingSample.Observation(gameLoop / 20, gameLoop % 500 == 499 ? 90_000 : 3000),
    ];
}
