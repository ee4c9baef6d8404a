namespace Abathur.Sync.Sources.Playback;

/// <summary>How a recording is played.</summary>
public sealed record PlaybackOptions
{
    public const double MinRate = 0.1;
    public const double MaxRate = 1000;

    /// <summary>Game loops per second; null: those of the recording.</summary>
    public double? TickHz { get; init; }

    /// <summary>Multiple of the tick rate, <see cref="MinRate"/> to <see cref="MaxRate"/>; 0: as fast as lossless readers read. Default
    /// 1.</summary>
    public double Rate { get; init; } = 1;

    /// <summary>Start again at the end; may be changed while it plays. Default false.</summary>
    public bool Loop { get; init; }

    /// <summary>Pause at the end and wait for commands, instead of ending. Resuming there starts again from the beginning. Default
    /// false.</summary>
    public bool StayAtEnd { get; init; }

    /// <summary>Wait for a command before the first frame. Default false.</summary>
    public bool StartPaused { get; init; }

    /// <summary>Game time to skip at the start. Default 0.</summary>
    public TimeSpan StartOffset { get; init; }

    /// <summary>Game time to play, from <see cref="StartOffset"/>; null: to the end.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Subscribers to wait for before the first frame. Default 0.</summary>
    public int WaitForAgents { get; init; }
}
