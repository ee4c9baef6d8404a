using Abathur.Sync.Frames;
using Abathur.Sync.Hub;

namespace Abathur.Sync.Dashboard;

/// <summary>
/// Encodes a match in every format at once, as long as a page is open: sizes of streams show only over frames in a row. A <c>latest</c> subscriber as any other, which rests
/// longer than it works, so that it takes at most a third of one core whatever the match is.
/// </summary>
internal sealed class ComparedStreams : IDisposable
{
    private readonly Subscription _subscription;
    private readonly uint _keyframeInterval;
    private readonly TimeProvider _clock;
    private readonly ITimer _idle;
    private readonly TimeSpan _patience;
    private int _frames;

    /// <param name="subscription">Of plain protobuf under <c>latest</c>; disposed with this.</param>
    /// <param name="keyframeInterval">Frames from one keyframe to the next; 0: only the first is one.</param>
    /// <param name="patience">It ends when nobody has looked for so long.</param>
    /// <param name="clock">Clock of the above.</param>
    public ComparedStreams(Subscription subscription, uint keyframeInterval, TimeSpan patience, TimeProvider clock)
    {
        _subscription = subscription;
        _keyframeInterval = keyframeInterval;
        _clock = clock;
        _patience = patience;
        Formats = [.. ComparedFormat.All.Where(IsStream).Select(format => new ComparedFormat(format, (int)Math.Clamp(keyframeInterval, 1, 1024)))];
        _idle = clock.CreateTimer(static state => ((Subscription)state!).Close(), subscription, patience, Timeout.InfiniteTimeSpan);
        Running = Task.Run(RunAsync);
    }

    public IReadOnlyList<ComparedFormat> Formats { get; }

    /// <summary>Frames measured so far.</summary>
    public int Frames => Volatile.Read(ref _frames);

    /// <summary>Completes when nobody has looked for a while, or the match is over. Everything is let go of then.</summary>
    public Task Running { get; }

    /// <summary>A page asks for sizes: go on.</summary>
    public void Touch() => _idle.Change(_patience, Timeout.InfiniteTimeSpan);

    public void Dispose() => _subscription.Close();

    /// <summary>Whether frames depend on those before them, so that one alone does not tell what goes over the wire.</summary>
    private static bool IsStream(PayloadFormat format) => format.HasKeyframes;

    private async Task RunAsync()
    {
        var lastLoop = 0u;
        while (_subscription.End is null)
        {
            if (!_subscription.TryTake(out var frame, out _))
            {
                await _subscription.WaitAsync();
                // What follows takes long: readers have their turn on this thread.
                await Task.Yield();
                continue;
            }
            var start = _clock.GetTimestamp();
            var isKeyframeDue = Frames == 0 || frame.GameLoop < lastLoop || (_keyframeInterval > 0 && Frames % _keyframeInterval == 0);
            lastLoop = frame.GameLoop;
            foreach (var format in Formats) format.Add(frame.Payload.Span, isKeyframeDue);
            _subscription.CountSent(0);
            frame.Release();
            Interlocked.Increment(ref _frames);
            await Task.Delay(2 * _clock.GetElapsedTime(start), _clock);
        }
        await _idle.DisposeAsync();
        _subscription.Dispose();
        foreach (var format in Formats) format.Dispose();
    }
}
