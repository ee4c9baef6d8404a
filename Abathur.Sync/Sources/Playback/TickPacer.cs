namespace Abathur.Sync.Sources.Playback;

/// <summary>
/// Calculates when the next frame is due. Due times are relative to one start time, not to the previous frame, so that errors do not
/// accumulate.
/// </summary>
/// <remarks>
/// A frame is due as many ticks after the last one as its game loop is ahead. If its loop is not ahead (a recording of single
/// frames, a new round), it is due one tick later. If the playback falls behind by more than <see cref="MaxLag"/>, because it waited for a
/// lossless reader or the machine was suspended, the start time is reset instead of catching up.
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

    /// <summary>Restarts the clock: the next frame is due one step from now.</summary>
    public void Restart()
    {
        _anchor = clock.GetTimestamp();
        _ticksSinceAnchor = 0;
    }

    /// <summary>Discards the last frame: the next one is due now.</summary>
    public void Jump()
    {
        Restart();
        _lastGameLoop = null;
    }

    /// <summary>Time until a frame of this game loop is due as the next one; zero or negative if it is due.</summary>
    public TimeSpan DueIn(uint gameLoop)
    {
        if (_rate == 0 || _lastGameLoop is null) return TimeSpan.Zero;
        return TimeSpan.FromSeconds((_ticksSinceAnchor + StepTo(gameLoop)) / (tickHz * _rate)) - clock.GetElapsedTime(_anchor);
    }

    /// <summary>Call this when a frame was published.</summary>
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
