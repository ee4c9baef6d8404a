using System.Buffers;
using Abathur.Recordings;
using Abathur.Recordings.Files;
using Abathur.Recordings.Tests;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.Tests.Matches;
using Abathur.Sync.V1;
using Google.Protobuf;
using Microsoft.Extensions.Logging.Abstractions;
using SC2APIProtocol;

namespace Abathur.Sync.Tests.Sources.Push;

/// <summary>A bot that publishes faster than its recording can be written.</summary>
public sealed class PushSourceTests : IAsyncDisposable
{
    private const int MaxFrames = 200;
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(60);
    private readonly TemporaryFolder _folder = new();
    private readonly ManualClock _clock = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly HangingStream _disk;
    private readonly MatchRecorder _recorder;
    private readonly PushSource _source;
    private readonly Task _running;

    public PushSourceTests()
    {
        var file = new OutputFile(_folder.PathTo("match.mcap"));
        _disk = new HangingStream(file.Stream);
        _recorder = new MatchRecorder(file, _disk, new RecordingOptions { ChunkSizeBytes = 1024 }, NullLogger.Instance, _clock);
        _source = new PushSource(new MatchRecordings(_recorder), _clock) { Once = true };
        _running = _source.RunAsync(
            new OneMatch(new MatchRun(new HubOptions { HistoryBytes = 0 }, Abilities.NotWaiting, _clock)), _stop.Token);
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _running;
        _disk.Answer();
        await _recorder.DisposeAsync();
        _folder.Dispose();
        _stop.Dispose();
    }

    [Fact]
    public async Task Add_DiskIsSlow_TheBotWaitsAndNothingIsLeftOut()
    {
        using var bot = await _source.OpenAsync(default);
        var (first, waiting) = await PublishUntilItWaitsAsync(bot);
        Assert.True(first * Megabyte.Length <= MatchRecorder.MaxWaitingBytes, $"{first} frames wait");
        _disk.Answer();
        await waiting.WaitAsync(Long);
        for (var loop = first + 1; loop <= MaxFrames; loop++) await bot.AddAsync(Frame(loop)).AsTask().WaitAsync(Long);
        await _recorder.DisposeAsync();
        Assert.Equal(((ulong)MaxFrames, 0ul), (_recorder.Status.Frames, _recorder.Status.FramesDropped));
        using var reader = RecordingReader.Open(_folder.PathTo("match.mcap"));
        Assert.Equal(Enumerable.Range(1, MaxFrames).Select(loop => (uint)loop), RecordingSample.ReadLoops(reader));
    }

    [Fact]
    public async Task Add_DiskHangs_TheBotWaitsOnceAndGoesOn()
    {
        using var bot = await _source.OpenAsync(default);
        var (first, waiting) = await PublishUntilItWaitsAsync(bot);
        _clock.Advance(MatchRecorder.MaxWait - TimeSpan.FromMilliseconds(1));
        Assert.False(waiting.IsCompleted);
        _clock.Advance(TimeSpan.FromMilliseconds(2));
        await waiting.WaitAsync(Long);
        // The clock does not advance any more: another wait would never end.
        for (var loop = first + 1; loop <= MaxFrames; loop++) await bot.AddAsync(Frame(loop)).AsTask().WaitAsync(Long);
        Assert.Equal((ulong)MaxFrames, bot.Frames);
        Assert.True(_recorder.Status.FramesDropped > 0);
    }

    private static byte[] Megabyte { get; } = new byte[1 << 20];

    /// <summary>The game loop of the first frame that is not taken at once, and when it is.</summary>
    private static async Task<(int Loop, Task Taken)> PublishUntilItWaitsAsync(Publication bot)
    {
        for (var loop = 1; loop <= MaxFrames; loop++)
        {
            var taken = bot.AddAsync(Frame(loop)).AsTask();
            if (!taken.IsCompleted) return (loop, taken);
            await taken;
        }
        throw new InvalidOperationException("it never waited");
    }

    private static ReadOnlySequence<byte> Frame(int loop) => new(new PublishRequest
    {
        Observation = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = (uint)loop,
                RawData = new ObservationRaw { MapState = new MapState { Creep = new ImageData { Data = ByteString.CopyFrom(Megabyte) } } },
            },
        },
    }.ToByteArray());
}
