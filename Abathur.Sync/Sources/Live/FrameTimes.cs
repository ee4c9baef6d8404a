using Abathur.Sync.Diagnostics;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources.Live;

/// <summary>Where the time of a frame goes in a running game, and how many game loops went by unseen.</summary>
public sealed class FrameTimes
{
    private uint? _lastGameLoop;
    private long _skipped;

    /// <summary>From the request for a step or an observation to its answer.</summary>
    public DurationHistogram Game { get; } = new();

    /// <summary>From an answer to the bot's next request.</summary>
    public DurationHistogram Bot { get; } = new();

    /// <summary>From a byte received to the byte passed on.</summary>
    public DurationHistogram Daemon { get; } = new();

    /// <summary>From a frame published to an agent's first action that answers it.</summary>
    public DurationHistogram Agent { get; } = new();

    /// <summary>Game loops of which no observation was taken.</summary>
    public long SkippedGameLoops => Interlocked.Read(ref _skipped);

    /// <summary>Takes note of an observation.</summary>
    /// <param name="gameLoop">Its game loop.</param>
    /// <param name="expectedLoops">How many loops lie between two observations that miss nothing: what the bot stepped; 1 in real time.</param>
    /// <returns>How many loops were skipped before it.</returns>
    public uint Observe(uint gameLoop, uint expectedLoops)
    {
        var skipped = 0u;
        if (_lastGameLoop is { } last && gameLoop > last) skipped = gameLoop - last - Math.Min(gameLoop - last, Math.Max(expectedLoops, 1));
        _lastGameLoop = gameLoop;
        Interlocked.Add(ref _skipped, skipped);
        return skipped;
    }

    /// <summary>As the status tells it.</summary>
    public FrameBudget ToBudget() => new()
    {
        Game = Game.ToShare(),
        Bot = Bot.ToShare(),
        Daemon = Daemon.ToShare(),
        Agent = Agent.ToShare(),
        SkippedGameLoops = (ulong)SkippedGameLoops,
    };
}
