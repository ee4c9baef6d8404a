namespace Abathur.Synth;

/// <summary>How far the match has come at its first frame.</summary>
public enum MatchStart
{
    /// <summary>One town hall and twelve workers each.</summary>
    Opening,

    /// <summary>Several bases and armies that are about to meet.</summary>
    MidGame,
}

/// <summary>Options of <see cref="MatchGenerator"/>. The same options give the same bytes on every machine.</summary>
public sealed record SynthOptions
{
    /// <summary>Start of the random sequence. Default 1.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>Frames to make, 1 to 1,000,000. Default 1,344: 60 s at 22.4 Hz.</summary>
    public int Steps { get; init; } = 1344;

    /// <summary>Game loops from one frame to the next, 1 to 64. Default 1: every game loop.</summary>
    public int LoopStep { get; init; } = 1;

    /// <summary>Game loop of the first frame. Default 0.</summary>
    public uint FirstGameLoop { get; init; }

    /// <summary>Width of the map, in cells, 96 to 256, a multiple of 8. Default 152.</summary>
    public int MapWidth { get; init; } = 152;

    /// <summary>Height of the map, in cells, 96 to 256, a multiple of 8. Default 152.</summary>
    public int MapHeight { get; init; } = 152;

    /// <summary>Bits per cell of the creep grid: 1 as in the current game, 8 as in older clients. Default 1.</summary>
    public int CreepBitsPerPixel { get; init; } = 1;

    /// <summary>Base sites with mineral fields, 4 to 16, even. Each has ten neutral units. Default 12.</summary>
    public int BaseSites { get; init; } = 12;

    /// <summary>How far the match has come at its first frame. Default <see cref="MatchStart.MidGame"/>.</summary>
    public MatchStart Start { get; init; } = MatchStart.MidGame;

    /// <summary>Speed of both economies and their production, in percent of the game's, 50 to 400. Default 100.</summary>
    public int Intensity { get; init; } = 100;

    /// <summary>A minute with a fight, at every game loop: 35 to 86 KB a frame.</summary>
    public static SynthOptions Skirmish { get; } = new() { Seed = 7, FirstGameLoop = 8960, BaseSites = 16, Intensity = 150 };

    /// <summary>A whole match of 16,860 game loops as an older client saw it, growing to 133 to 170 KB a frame.</summary>
    public static SynthOptions Elite { get; } = new()
    {
        Seed = 11,
        Steps = 16_860,
        MapWidth = 216,
        MapHeight = 216,
        CreepBitsPerPixel = 8,
        BaseSites = 16,
        Start = MatchStart.Opening,
        Intensity = 180,
    };

    /// <summary>Checks the limits given with each option.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its limits.</exception>
    public void Validate()
    {
        Check(Steps, 1, 1_000_000, nameof(Steps));
        Check(LoopStep, 1, 64, nameof(LoopStep));
        Check(MapWidth, 96, 256, nameof(MapWidth));
        Check(MapHeight, 96, 256, nameof(MapHeight));
        Check(BaseSites, 4, 16, nameof(BaseSites));
        Check(Intensity, 50, 400, nameof(Intensity));
        if (MapWidth % 8 != 0 || MapHeight % 8 != 0)
            throw new ArgumentOutOfRangeException(nameof(MapWidth), "Map sides are multiples of 8.");
        if (BaseSites % 2 != 0) throw new ArgumentOutOfRangeException(nameof(BaseSites), "Base sites come in pairs.");
        if (CreepBitsPerPixel is not (1 or 8)) throw new ArgumentOutOfRangeException(nameof(CreepBitsPerPixel), "1 or 8 bits.");
    }

    private static void Check(int value, int from, int to, string name)
    {
        if (value < from || value > to) throw new ArgumentOutOfRangeException(name, value, $"{name} is {from} to {to}.");
    }
}
