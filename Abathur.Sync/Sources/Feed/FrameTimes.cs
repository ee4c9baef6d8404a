using Abathur.Sync.Diagnostics;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources.Feed;

/// <summary>How the time of each frame in a running game is spent, and how many game loops were not observed.</summary>
public sealed class FrameTimes
{
    private static readonly (string Name, double Milliseconds)[] Limits =
    [
        ("ladder", 40), ("faster", 1000 / 22.4), ("normal", 1000 / 16.0),
    ];
    private readonly long[] _over = new long[Limits.Length];
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

    /// <summary>From an agent's query passed to the game to its answer; null if the source takes none. The bot waits for at most one of
    /// them.</summary>
    public DurationHistogram? Query { get; init; }

    /// <summary>Game loops without an observation.</summary>
    public long SkippedGameLoops => Interlocked.Read(ref _skipped);

    /// <summary>Counts an observation.</summary>
    /// <param name="gameLoop">Its game loop.</param>
    /// <param name="expectedLoops">Expected number of loops since the previous observation: the steps of the bot; 1 in real time.</param>
    /// <returns>How many loops were skipped before it.</returns>
    public uint Observe(uint gameLoop, uint expectedLoops)
    {
        var skipped = 0u;
        if (_lastGameLoop is { } last && gameLoop > last) skipped = gameLoop - last - Math.Min(gameLoop - last, Math.Max(expectedLoops, 1));
        _lastGameLoop = gameLoop;
        Interlocked.Add(ref _skipped, skipped);
        return skipped;
    }

    /// <summary>Adds the times between two observations.</summary>
    public void AddFrame(TimeSpan game, TimeSpan bot, TimeSpan daemon)
    {
        Game.Add(game);
        Bot.Add(bot);
        Daemon.Add(daemon);
        for (var i = 0; i < Limits.Length; i++)
        {
            // The time of the game itself does not count: the bot cannot reduce it.
            if ((bot + daemon).TotalMilliseconds > Limits[i].Milliseconds) Interlocked.Increment(ref _over[i]);
        }
    }

    /// <summary>The times as a message of the status.</summary>
    public FrameBudget ToBudget()
    {
        var budget = new FrameBudget
        {
            Game = Game.ToShare(),
            Bot = Bot.ToShare(),
            Daemon = Daemon.ToShare(),
            Agent = Agent.ToShare(),
            Query = Query?.ToShare(),
            SkippedGameLoops = (ulong)SkippedGameLoops,
        };
        for (var i = 0; i < Limits.Length; i++)
        {
            budget.Limits.Add(new FrameBudget.Types.Limit
            {
                Name = Limits[i].Name,
                Ms = Limits[i].Milliseconds,
                FramesOver = (ulong)Interlocked.Read(ref _over[i]),
            });
        }
        return budget;
    }
}
