using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches.History;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Matches.History;

public sealed class MatchHistoryTests : IDisposable
{
    private static readonly HistoryReaderOptions Columns = new(() => "m", null, MayBeEmpty: true, new(Encoding.Columns), 0, "", 1);
    private MatchHistory _history = new(1 << 24, EncoderThreads.Shared, TimeProvider.System);
    private ulong _sequence;

    public void Dispose() => _history.Dispose();

    [Fact]
    public async Task Add_GameLoopGoesBack_BeginsAgain()
    {
        await AddAsync(10, 300);
        Assert.Equal((10u, 309u), _history.Range);
        await AddAsync(50, 5);
        Assert.Equal((50u, 54u), _history.Range);
        Assert.Equal([50u, 51, 52, 53, 54], Read(Columns));
        Assert.Equal(5ul, _history.Describe().Frames);
    }

    [Fact]
    public async Task Add_NoReaderWaitsForIt_IsEncodedWhenItHasBeenSent()
    {
        var (clock, threads) = RestartWithClock();
        Add(10, RecordingSample.Observation(10));
        await DoneAsync(threads);
        Assert.True(_history.HasPending);
        Assert.Equal((10u, 10u), _history.Range);
        clock.Advance(TimeSpan.FromMilliseconds(10));
        await EncodedAsync();
        Assert.Equal([10u], Read(Columns));
    }

    [Fact]
    public async Task Add_TheNextFrameIsAdded_IsEncodedAtOnce()
    {
        var (clock, _) = RestartWithClock();
        for (var loop = 10u; loop < 12; loop++) Add(loop, RecordingSample.Observation(loop));
        await EncodedAsync();
        Assert.Equal([10u, 11], Read(Columns));
        Assert.False(clock.HasWaiter);
    }

    [Fact]
    public async Task Add_AReaderHasReadAllOthers_IsEncodedAtOnce()
    {
        var (clock, threads) = RestartWithClock();
        using var cursor = _history.Read(null);
        Assert.False(cursor.TryRead(out _));
        Add(10, RecordingSample.Observation(10));
        await EncodedAsync();
        Assert.True(cursor.TryRead(out var first));
        Assert.Equal(10u, first.GameLoop);
        // It has not tried to read more: the next frame is not awaited until it does.
        Add(11, RecordingSample.Observation(11));
        await DoneAsync(threads);
        Assert.True(_history.HasPending);
        Assert.False(cursor.TryRead(out _));
        await EncodedAsync();
        Assert.True(cursor.TryRead(out var second));
        Assert.Equal(11u, second.GameLoop);
        Assert.False(clock.HasWaiter);
    }

    [Fact]
    public async Task Dispose_WhileAFrameWaits_DoesNotEncodeIt()
    {
        var (clock, threads) = RestartWithClock();
        Add(10, RecordingSample.Observation(10));
        _history.Dispose();
        clock.Advance(TimeSpan.FromSeconds(1));
        await DoneAsync(threads);
        Assert.False(_history.HasPending);
        Assert.Equal(0ul, _history.Describe().Frames);
        Assert.False(clock.HasWaiter);
    }

    [Fact]
    public async Task Interrupt_DropsWhatWasKept()
    {
        await AddAsync(10, 20);
        _history.Interrupt();
        Assert.Null(_history.Range);
        Assert.Empty(Read(Columns));
        await AddAsync(40, 2);
        Assert.Equal([40u, 41], Read(Columns));
    }

    [Fact]
    public async Task Add_DamagedObservation_BeginsAgainBehindIt()
    {
        await AddAsync(10, 20);
        Add(30, [0x0a, 0xff]);
        await EncodedAsync();
        Assert.Null(_history.Range);
        await AddAsync(31, 3);
        Assert.Equal((31u, 33u), _history.Range);
        Assert.Equal([31u, 32, 33], Read(Columns));
    }

    [Fact]
    public async Task Add_MoreThanTheLimit_DropsTheOldestSegments()
    {
        _history.Dispose();
        _history = new MatchHistory(200_000, EncoderThreads.Shared, TimeProvider.System);
        await AddAsync(1, MatchHistory.SegmentFrames);
        using var late = new HistoryReader(_history, Columns, TimeProvider.System);
        Assert.True(late.TryRead(ulong.MaxValue, out var first, out _));
        first.Release();
        for (var i = 1; i < 30; i++) await AddAsync((uint)(1 + i * MatchHistory.SegmentFrames), MatchHistory.SegmentFrames);

        var range = _history.Range!.Value;
        Assert.True(range.First > 1);
        Assert.Equal(0u, (range.First - 1) % MatchHistory.SegmentFrames);
        Assert.Equal(Enumerable.Range((int)range.First, (int)(range.Last - range.First + 1)).Select(loop => (uint)loop), Read(Columns));
        Assert.InRange(_history.Describe().Bytes, 1ul, 300_000ul);
        // A reader whose next segment was dropped reads no further.
        var more = 1;
        while (late.TryRead(ulong.MaxValue, out var frame, out _))
        {
            frame.Release();
            more++;
        }
        Assert.Equal((MatchHistory.SegmentFrames, true), (more, late.IsLost));
    }

    [Fact]
    public async Task Read_FromTheMiddleOfASegment_BeginsWithAKeyframe()
    {
        await AddAsync(1, 1000);
        foreach (var format in new[] { Encoding.Columns, Encoding.Proto, Encoding.Json })
        {
            var options = Columns with { FirstGameLoop = 500, Format = new(format, V1.Compression.ZstdStream), CompressionLevel = 3 };
            using var reader = new HistoryReader(_history, options, TimeProvider.System);
            Assert.True(reader.TryRead(ulong.MaxValue, out var frame, out _));
            Assert.Equal((500u, 500ul, true), (frame.GameLoop, frame.Sequence, frame.IsKeyframe));
            frame.Release();
        }
    }

    [Fact]
    public async Task Read_EveryTenthLoop_SendsThoseOnly()
    {
        await AddAsync(1, 100);
        Assert.Equal([5u, 15, 25, 35, 45, 55, 65, 75, 85, 95], Read(Columns with { FirstGameLoop = 5, EveryGameLoops = 10 }));
    }

    [Fact]
    public async Task Read_Until_StopsThere()
    {
        await AddAsync(1, 100);
        using var reader = new HistoryReader(_history, Columns, TimeProvider.System);
        var count = 0;
        while (reader.TryRead(40, out var frame, out _))
        {
            frame.Release();
            count++;
        }
        Assert.Equal((40, 40ul), (count, reader.LastSequence));
    }

    [Fact]
    public async Task Add_SteadyState_AllocatesNothing()
    {
        await AddAsync(1, 300);
        var observation = RecordingSample.Observation(301);
        for (var round = 0; round < 5; round++)
        {
            // Made before: whether the pools have memory for them depends on how fast the encoder is.
            var frames = Enumerable.Range(0, 20).Select(_ => Published(301, observation)).ToList();
            Allocated.AtMost(20 * 50, () =>
            {
                foreach (var frame in frames) _history.Add(frame);
            });
            frames.ForEach(frame => frame.Release());
            await EncodedAsync();
        }
    }

    private List<uint> Read(HistoryReaderOptions options)
    {
        using var reader = new HistoryReader(_history, options, TimeProvider.System);
        var loops = new List<uint>();
        while (reader.TryRead(ulong.MaxValue, out var frame, out _))
        {
            loops.Add(frame.GameLoop);
            frame.Release();
        }
        return loops;
    }

    private async Task AddAsync(uint first, int count)
    {
        for (var i = 0; i < count; i++)
        {
            await _history.WaitForRoomAsync();
            Add(first + (uint)i, RecordingSample.Observation(first + (uint)i));
        }
        await EncodedAsync();
    }

    private void Add(uint gameLoop, byte[] observation)
    {
        var frame = Published(gameLoop, observation);
        _history.Add(frame);
        frame.Release();
    }

    private SharedFrame Published(uint gameLoop, byte[] observation)
    {
        var buffer = SharedBuffer.CopyOf(observation);
        var frame = SharedFrame.Rent(gameLoop, default, buffer);
        frame.MarkPublished("m", ++_sequence, default);
        return frame;
    }

    /// <summary>A history whose clock stands still, and its only thread.</summary>
    private (ManualClock Clock, EncoderThreads Threads) RestartWithClock()
    {
        _history.Dispose();
        var (clock, threads) = (new ManualClock(), new EncoderThreads(1));
        _history = new MatchHistory(1 << 24, threads, clock);
        return (clock, threads);
    }

    /// <summary>Completes when the thread has done all that it had to do before.</summary>
    private static Task DoneAsync(EncoderThreads threads)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        threads.Add(() => done.SetResult(), TimeSpan.MaxValue, isSlow: false);
        return done.Task.WaitAsync(TimeSpan.FromSeconds(60));
    }

    /// <summary>Completes when all added frames are encoded.</summary>
    private async Task EncodedAsync()
    {
        var idle = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        void Check()
        {
            if (!_history.HasPending) idle.TrySetResult();
        }
        _history.Grown += Check;
        Check();
        await idle.Task.WaitAsync(TimeSpan.FromSeconds(60));
        _history.Grown -= Check;
    }
}
