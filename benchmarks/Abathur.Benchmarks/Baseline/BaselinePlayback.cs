using Abathur.Recordings;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Sources.Playback;

namespace Abathur.Benchmarks.Baseline;

/// <summary>Plays a recording over and over, with the daemon's own reader and clock.</summary>
internal sealed class BaselinePlayback(BaselineOptions options, TimeProvider clock) : IDisposable
{
    private readonly AsyncAutoResetEvent _joined = new(clock);

    /// <summary>Tells that a client came: nothing is played where <see cref="RunAsync"/> finds none.</summary>
    public void Join() => _joined.Set();

    /// <summary>Plays until it is cancelled.</summary>
    /// <param name="hasClients">Whether anybody takes frames.</param>
    /// <param name="publish">Gives a frame to all clients; the frame is valid until it returns.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async Task RunAsync(
        Func<bool> hasClients, Func<RecordingMatch, RecordedObservation, ValueTask> publish, CancellationToken cancellationToken)
    {
        await using var stopping = cancellationToken.Register(_joined.Set);
        using var recording = RecordingReader.Open(options.Recording, cancellationToken: cancellationToken);
        var tickHz = recording.Match.TickHz;
        var first = (uint)(recording.FirstGameLoop + (options.StartOffset * tickHz));
        var last = options.Duration is { } seconds ? first + (uint)(seconds * tickHz) : recording.LastGameLoop;
        var pacer = new TickPacer(tickHz, clock) { Rate = options.Unlimited ? 0 : 1 };
        recording.SeekToGameLoop(first);
        while (!cancellationToken.IsCancellationRequested)
        {
            if (!hasClients())
            {
                await _joined.WaitAsync();
                pacer.Jump();
            }
            if (!recording.ReadNext(out var observation) || observation.GameLoop > last)
            {
                recording.SeekToGameLoop(first);
                pacer.Jump();
                continue;
            }
            var wait = pacer.DueIn(observation.GameLoop);
            if (wait >= TimeSpan.FromMilliseconds(1)) await Task.Delay(wait, clock, cancellationToken);
            pacer.Advance(observation.GameLoop);
            await publish(recording.Match, observation);
        }
    }

    public void Dispose() => _joined.Dispose();
}
