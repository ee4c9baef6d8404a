using Abathur.Sync.Frames;
using Abathur.Sync.Hub;

namespace Abathur.Sync.Dashboard;

/// <summary>
/// Encodes a match in every stream format while a page is open, because stream sizes can only be measured over consecutive frames. It is a
/// <c>latest</c> subscriber. After each frame it waits twice as long as it took, so that it uses at most a third of one core.
/// </summary>
internal sealed class ComparedStreams : IDisposable
{
    private readonly Subscription _subscription;
    private readonly uint _keyframeInterval;
    private readonly TimeProvider _clock;
    private readonly ITimer _idle;
    private readonly TimeSpan _idleTimeout;
    private int _frames;

    /// <param name="subscription">Of plain protobuf under <c>latest</c>; disposed with this.</param>
    /// <param name="keyframeInterval">Frames from one keyframe to the next; 0: only the first is one.</param>
    /// <param name="idleTimeout">It ends when no page has asked for sizes for this time.</param>
    /// <param name="clock">Clock of the above.</param>
    public ComparedStreams(Subscription subscription, uint keyframeInterval, TimeSpan idleTimeout, TimeProvider clock)
    {
        _subscription = subscription;
        _keyframeInterval = keyframeInterval;
        _clock = clock;
        _idleTimeout = idleTimeout;
        Formats = [.. ComparedFormat.All.Where(IsStream).Select(
            format => new ComparedFormat(format, (int)Math.Clamp(keyframeInterval, 1, 1024)))];
        _idle = clock.CreateTimer(static state => ((Subscription)state!).Close(), subscription, idleTimeout, Timeout.InfiniteTimeSpan);
        Running = Task.Run(RunAsync);
    }

    public IReadOnlyList<ComparedFormat> Formats { get; }

    /// <summary>Frames measured so far.</summary>
    public int Frames => Volatile.Read(ref _frames);

    /// <summary>Completes when no page is open, or the match is over. All resources are released then.</summary>
    public Task Running { get; }

    /// <summary>A page has asked for sizes: restarts the idle timeout.</summary>
    public void Touch() => _idle.Change(_idleTimeout, Timeout.InfiniteTimeSpan);

    public void Dispose() => _subscription.Close();

    /// <summary>Whether frames depend on those before them, so that the size of a single frame is not the size on the wire.</summary>
    private static bool IsStream(PayloadFormat format) => format.HasKeyframes;

    private async Task RunAsync()
    {
        var lastLoop = 0u;
        while (_subscription.End is null)
        {
            if (!_subscription.TryTake(out var frame, out _))
            {
                await _subscription.WaitAsync();
                // Encoding takes long: let readers use this thread first.
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
