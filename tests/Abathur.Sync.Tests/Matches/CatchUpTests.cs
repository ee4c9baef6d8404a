using System.Collections.Concurrent;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Matches;

/// <summary>Subscriptions that begin with kept frames, and go on with live ones.</summary>
public sealed class CatchUpTests : IDisposable
{
    private static readonly int Joins = Runs.Of(1000);
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private static readonly PayloadFormat[] Formats =
    [
        new(Encoding.Proto),
        new(Encoding.Columns),
        new(Encoding.Columns, V1.Compression.ZstdStream),
        new(Encoding.Proto, V1.Compression.BrStream),
        new(Encoding.Json),
    ];

    private readonly HubShare _share;
    private readonly MatchRun _run;
    private uint _newest;

    public CatchUpTests()
    {
        // Frames are published as fast as they can be kept, and readers have a low priority: on a busy machine they fall far behind.
        var options = new HubOptions { MaxSubscriptions = 2 * Joins, MaxHistoryReaders = 2 * Joins, HistoryBytes = 1024 * 1024 * 1024 };
        _share = new HubShare(options, TimeProvider.System);
        _run = new MatchRun(_share, Abilities.Waiting);
        _run.Begin(new Match { MatchId = "m" });
    }

    public void Dispose() => _run.Dispose();

    [Fact]
    public async Task Joins_AtRandomLoopsDuringAMatch_GetEachLoopOnce()
    {
        using var ended = new CancellationTokenSource();
        for (var i = 0; i < 300; i++) await PublishNextAsync();
        var publishing = Task.Run(async () =>
        {
            while (!ended.IsCancellationRequested) await PublishNextAsync();
        });
        var left = new ConcurrentBag<int>(Enumerable.Range(1, Joins));
        var joining = Enumerable.Range(0, 16).Select(worker => Task.Run(async () =>
        {
            var random = new Random(worker);
            while (left.TryTake(out _)) await JoinAsync(random);
        }));
        await Task.WhenAll(joining).WaitAsync(Limit);
        await ended.CancelAsync();
        await publishing.WaitAsync(Limit);
        Assert.DoesNotContain(_share.Totals(), kind => kind.Value.FramesDropped > 0);
    }

    [Fact]
    public async Task Join_AfterTheEndOfTheMatch_GetsTheKeptFramesAndTheEnd()
    {
        for (var i = 0; i < 500; i++) await PublishNextAsync();
        using var before = _run.Subscribe(Options(Formats[0], SubscriptionStart.At(100), 0))!;
        await _run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));
        using var after = _run.Subscribe(Options(Formats[1], SubscriptionStart.Oldest, 0))!;
        foreach (var (subscription, first) in new[] { (before, 100u), (after, 1u) })
        {
            var output = new Output();
            var end = await subscription.SendAsync(output, CancellationToken.None).WaitAsync(Limit);
            Assert.Equal(new SubscriptionEnd(SubscriptionEndReason.MatchOver, "over"), end);
            Assert.Equal(Range(first, 500), output.Loops);
        }
    }

    [Fact]
    public async Task Join_BehindTheNewestFrame_GetsEachOneThatIsPublishedFromThenOn()
    {
        for (var i = 0; i < 100; i++) await PublishNextAsync();
        var every = Formats.Select(format => _run.Subscribe(Options(format, SubscriptionStart.After(100), 0))!).ToList();
        // Before one of them reads.
        for (var i = 0; i < 3; i++) await PublishNextAsync();
        await _run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));
        every.Add(_run.Subscribe(Options(Formats[0], SubscriptionStart.After(100), 0))!);
        every.Add(_run.Subscribe(Options(Formats[0], SubscriptionStart.After(103), 0))!);
        foreach (var subscription in every)
        {
            using var disposing = subscription;
            var output = new Output();
            var end = await subscription.SendAsync(output, CancellationToken.None).WaitAsync(Limit);
            Assert.Equal(SubscriptionEndReason.MatchOver, end.Reason);
            Assert.Equal(subscription == every[^1] ? [] : [101u, 102, 103], output.Loops);
        }
    }

    [Fact]
    public async Task Join_DownsampledAtTheEndOfTheMatch_GetsTheLastFrameToo()
    {
        for (var i = 0; i < 100; i++) await PublishNextAsync();
        var every = Formats.Select(format => _run.Subscribe(
            Options(format, SubscriptionStart.Oldest, 0) with { EveryGameLoops = 7 })!).ToList();
        await _run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));
        foreach (var subscription in every)
        {
            using var disposing = subscription;
            var output = new Output();
            var end = await subscription.SendAsync(output, CancellationToken.None).WaitAsync(Limit);
            Assert.Equal(SubscriptionEndReason.MatchOver, end.Reason);
            // 99 is due, and 100 is the last one.
            Assert.Equal([.. Range(1, 100).Where(loop => loop % 7 == 1), 100u], output.Loops);
        }
    }

    [Fact]
    public async Task Join_OnAThreadThatIsInterruptedForLongerThanABatch_GetsTheKeptFramesAndTheEnd()
    {
        using var run = new MatchRun(new HubOptions(), Abilities.Waiting, new HurryingClock());
        run.Begin(new Match { MatchId = "m" });
        for (uint loop = 1; loop <= 20; loop++) await run.PublishAsync(NewFrame(loop));
        using var subscription = run.Subscribe(Options(Formats[0], SubscriptionStart.Oldest, 0))!;
        await run.FinishAsync(new(SubscriptionEndReason.MatchOver, "over"));
        var output = new Output();
        var end = await subscription.SendAsync(output, CancellationToken.None).WaitAsync(Limit);
        Assert.Equal(new SubscriptionEnd(SubscriptionEndReason.MatchOver, "over"), end);
        Assert.Equal(Range(1, 20), output.Loops);
    }

    [Fact]
    public async Task Join_ReaderAcknowledgesWhileItsMessagesAreSent_GetsTheKeptFrames()
    {
        for (var i = 0; i < 20; i++) await PublishNextAsync();
        using var subscription = _run.Subscribe(Options(Formats[0], SubscriptionStart.Oldest, 20) with { Credits = 1 })!;
        var (flushed, loops) = (0, new List<uint>());
        var output = new Output
        {
            Flushed = () =>
            {
                // The credit comes back with the second flush after a frame. Some come before there is one.
                if (flushed == loops.Count && flushed > 0) subscription.Acknowledge(loops[^1]);
                flushed = loops.Count;
            },
        };
        loops = output.Loops;
        var end = await subscription.SendAsync(output, CancellationToken.None).WaitAsync(Limit);
        Assert.Equal(SubscriptionEnd.Complete, end);
        Assert.Equal(Range(1, 20), loops);
    }

    [Fact]
    public async Task Join_BeforeTheFirstFrame_GetsAll()
    {
        using var subscription = _run.Subscribe(Options(Formats[2], SubscriptionStart.Oldest, 20))!;
        var output = new Output();
        var sending = subscription.SendAsync(output, CancellationToken.None);
        for (var i = 0; i < 30; i++) await PublishNextAsync();
        Assert.Equal(SubscriptionEnd.Complete, await sending.WaitAsync(Limit));
        Assert.Equal(Range(1, 20), output.Loops);
    }

    [Fact]
    public async Task KeepsNothing_WhileTheFirstFrameIsPublished_IsNotTrueForAMoment()
    {
        for (var round = 0; round < 300; round++)
        {
            using var run = new MatchRun(new HubOptions(), Abilities.Waiting, TimeProvider.System);
            run.Begin(new Match { MatchId = "m" });
            var watching = Task.Run(() =>
            {
                while (run.HistoryRange is null) Assert.False(run.KeepsNothing);
            });
            await run.PublishAsync(NewFrame(1));
            await watching.WaitAsync(Limit);
        }
    }

    [Fact]
    public async Task Credits_InTheHistory_AreWaitedFor()
    {
        for (var i = 0; i < 50; i++) await PublishNextAsync();
        using var subscription = _run.Subscribe(Options(Formats[0], SubscriptionStart.Oldest, 40) with { Credits = 2 })!;
        var output = new Output { Taken = frame => subscription.Acknowledge(frame.Sequence), MostUnacknowledged = 2 };
        Assert.Equal(SubscriptionEnd.Complete, await subscription.SendAsync(output, CancellationToken.None).WaitAsync(Limit));
        Assert.Equal(Range(1, 40), output.Loops);
    }

    [Fact]
    public async Task Close_WhileItReadsTheHistory_EndsIt()
    {
        for (var i = 0; i < 300; i++) await PublishNextAsync();
        using var subscription = _run.Subscribe(Options(Formats[0], SubscriptionStart.Oldest, 0))!;
        var output = new Output { Taken = frame => subscription.Close() };
        var end = await subscription.SendAsync(output, CancellationToken.None).WaitAsync(Limit);
        Assert.Equal(SubscriptionEndReason.Closed, end.Reason);
        Assert.InRange(output.Loops.Count, 1, 100);
    }

    [Fact]
    public async Task Subscribe_MoreReadersOfTheHistoryThanAllowed_IsRefused()
    {
        using var run = new MatchRun(new HubOptions { MaxHistoryReaders = 4 }, Abilities.Waiting, TimeProvider.System);
        run.Begin(new Match { MatchId = "m" });
        var watcher = Options(Formats[0], SubscriptionStart.Oldest, 0) with { MayAct = false };
        var readers = Enumerable.Range(0, 3).Select(_ => run.Subscribe(watcher)!).ToList();
        // A quarter is for clients that may act.
        Assert.Null(run.Subscribe(watcher, out var problem));
        Assert.Equal("the limit of subscriptions that read the history is reached: try again later", problem);
        readers.Add(run.Subscribe(watcher with { MayAct = true })!);
        Assert.Null(run.Subscribe(watcher with { MayAct = true }));
        Assert.NotNull(run.Subscribe(watcher with { Start = default }));
        readers.ForEach(each => each.Dispose());
        using var free = run.Subscribe(watcher);
        Assert.NotNull(free);
    }

    [Fact]
    public void Subscribe_SlowLevels_AreCountedInStreamsAndInTheHistory()
    {
        using var run = new MatchRun(new HubOptions { MaxSlowStreams = 4 }, Abilities.Waiting, TimeProvider.System);
        run.Begin(new Match { MatchId = "m" });
        var slow = new PayloadFormat(Encoding.Proto, V1.Compression.Br);
        var watcher = Options(slow, SubscriptionStart.Oldest, 0) with { MayAct = false, CompressionLevel = 11 };
        using var live = run.Subscribe(watcher with { Start = default, Peer = "a" })!;
        using var first = run.Subscribe(watcher with { Peer = "b" })!;
        using var second = run.Subscribe(watcher with { Peer = "c" })!;
        Assert.Null(run.Subscribe(watcher with { Peer = "d" }, out var problem));
        Assert.Equal("the limit of slow compression levels is reached: subscribe to one that is in use", problem);
        // A quarter is for clients that may act.
        using var actor = run.Subscribe(watcher with { MayAct = true, Peer = "e" });
        Assert.NotNull(actor);
        Assert.Null(run.Subscribe(watcher with { MayAct = true, Peer = "f" }));
    }

    [Fact]
    public async Task HistoryOfThoseThatAct_DoesNotWaitForThatOfTheOthers()
    {
        using var release = new ManualResetEventSlim();
        var watching = LowPriorityScheduler.HistoryFor(mayAct: false).RunAsync(() =>
        {
            release.Wait(Limit);
            return Task.CompletedTask;
        });
        await LowPriorityScheduler.HistoryFor(mayAct: true).RunAsync(() => Task.CompletedTask).WaitAsync(Limit);
        Assert.False(watching.IsCompleted);
        release.Set();
        await watching;
    }

    private async Task JoinAsync(Random random)
    {
        var start = (uint)random.Next(Math.Max(1, (int)_newest - 280), (int)_newest + 1);
        var position = SubscriptionStart.At(start);
        if (random.Next(2) == 0)
        {
            if (random.Next(2) == 0) start = _newest;
            position = SubscriptionStart.After(start++);
        }
        var count = (ulong)random.Next(1, 350);
        using var subscription = _run.Subscribe(Options(Formats[random.Next(Formats.Length)], position, count))!;
        var output = new Output();
        Assert.Equal(SubscriptionEnd.Complete, await subscription.SendAsync(output, CancellationToken.None).WaitAsync(Limit));
        Assert.Equal(Range(start, start + (uint)count - 1), output.Loops);
        Assert.True(output.BeginsWithKeyframe);
        Assert.Equal(0ul, output.Dropped);
    }

    private async ValueTask PublishNextAsync()
    {
        await _run.PublishAsync(NewFrame(_newest + 1));
        _newest++;
    }

    private static SharedFrame NewFrame(uint gameLoop)
    {
        var bytes = RecordingSample.Observation(gameLoop);
        var buffer = SharedBuffer.CopyOf(bytes);
        return SharedFrame.Rent(gameLoop, FrameStamp.Now(TimeProvider.System), buffer);
    }

    private static IEnumerable<uint> Range(uint first, uint last) =>
        Enumerable.Range((int)first, (int)(last - first + 1)).Select(loop => (uint)loop);

    private static SubscriptionOptions Options(PayloadFormat format, SubscriptionStart start, ulong count) => new()
    {
        Policy = Policy.Every,
        Encoding = format.Encoding,
        Compression = format.Compression,
        CompressionLevel = format.Compression == V1.Compression.None ? 0 : 5,
        BufferFrames = 64,
        Start = start,
        MaxFrames = count,
        Transport = "test",
        Peer = "test",
    };

    /// <summary>A clock on which a second passes between any two looks.</summary>
    private sealed class HurryingClock : TimeProvider
    {
        private long _timestamp;

        public override long GetTimestamp() => Interlocked.Add(ref _timestamp, TimestampFrequency);
    }

    private sealed class Output : IFrameOutput
    {
        private readonly List<EncodedFrame> _unflushed = [];

        public List<uint> Loops { get; } = [];

        public bool BeginsWithKeyframe { get; private set; }

        public ulong Dropped { get; private set; }

        public int MostUnacknowledged { get; init; } = int.MaxValue;

        public Action<EncodedFrame>? Taken { get; init; }

        public Action? Flushed { get; init; }

        public bool WritePending() => false;

        public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
        {
            if (Loops.Count == 0) BeginsWithKeyframe = frame.IsKeyframe;
            // Sequences begin with 1, as game loops do here.
            Assert.Equal(frame.GameLoop, frame.Sequence);
            Loops.Add(frame.GameLoop);
            Dropped += dropped.Count;
            if (Taken is not null)
            {
                frame.Retain();
                _unflushed.Add(frame);
            }
            return frame.Payload.Length;
        }

        public async ValueTask<bool> FlushAsync(CancellationToken cancellationToken)
        {
            await Task.Yield();
            Assert.InRange(_unflushed.Count, 0, MostUnacknowledged);
            foreach (var frame in _unflushed)
            {
                Taken!(frame);
                frame.Release();
            }
            _unflushed.Clear();
            Flushed?.Invoke();
            return true;
        }
    }
}
