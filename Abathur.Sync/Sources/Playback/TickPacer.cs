namespace Abathur.Sync.Sources.Playback;

/// <summary>
/// Tells when the next frame is due. Due times are counted from one anchor, not from frame to frame, so that nothing
/// adds up: after an hour the clock is as right as after a second.
/// </summary>
/// <remarks>
/// A frame is due as many ticks after the last as its game loop is ahead; one whose loop is not ahead (a recording of
/// single frames, a new round) comes one tick later. When playing falls behind by more than <see cref="MaxLag"/>,
/// because a lossless reader was waited for or the machine slept, the clock starts again from there instead of rushing.
/// </remarks>
internal sealed class TickPacer(double tickHz, TimeProvider clock)
{
    public static readonly TimeSpan MaxLag = TimeSpan.FromMilliseconds(250);

    private long _anchor = clock.GetTimestamp();
    private long _ticksSinceAnchor;
    private uint? _lastGameLoop;
    private double _rate = 1;

    /// <summary>Multiple of the tick rate; 0: everything is due at once.</summary>
    public double Rate
    {
        get => _rate;
        set
        {
            _rate = value;
            Restart();
        }
    }

    /// <summary>Counts from now on: the frame after the last one is due one step from now.</summary>
    public void Restart()
    {
        _anchor = clock.GetTimestamp();
        _ticksSinceAnchor = 0;
    }

    /// <summary>Forgets the last frame: the next one is due now.</summary>
    public void Jump()
    {
        Restart();
        _lastGameLoop = null;
    }

    /// <summary>How long until a frame of this game loop is due, as the next one; zero or less when it is due.</summary>
    public TimeSpan DueIn(uint gameLoop)
    {
        if (_rate == 0 || _lastGameLoop is null) return TimeSpan.Zero;
        return TimeSpan.FromSeconds((_ticksSinceAnchor + StepTo(gameLoop)) / (tickHz * _rate)) - clock.GetElapsedTime(_anchor);
    }

    /// <summary>Takes note that this frame has been published.</summary>
    public void Advance(uint gameLoop)
    {
        var lag = -DueIn(gameLoop);
        var first = _lastGameLoop is null;
        _ticksSinceAnchor += first ? 0 : StepTo(gameLoop);
        _lastGameLoop = gameLoop;
        if (first || lag > MaxLag) Restart();
    }

    private uint StepTo(uint gameLoop) => gameLoop > _lastGameLoop ? gameLoop - _lastGameLoop.Value : 1;
}
