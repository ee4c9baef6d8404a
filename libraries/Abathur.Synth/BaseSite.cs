namespace Abathur.Synth;

/// <summary>A place for a town hall with its mineral fields, geysers and building plots. Lengths in 1/4096 cell.</summary>
internal sealed class BaseSite(int x, int y)
{
    public int X { get; } = x;
    public int Y { get; } = y;

    /// <summary>Direction towards the minerals, +1 or -1 in x.</summary>
    public int Side { get; init; }

    /// <summary>Height of the ground, as in terrain_height.</summary>
    public int Height { get; init; }

    public List<SimUnit> Minerals { get; } = [];
    public List<SimUnit> Geysers { get; } = [];

    /// <summary>One per geyser; null if it has no building.</summary>
    public SimUnit?[] GasBuildings { get; } = new SimUnit?[2];

    public SimUnit? Hall { get; set; }

    /// <summary>A worker is on its way to build the hall.</summary>
    public bool IsClaimed { get; set; }

    /// <summary>Plots taken, of <see cref="Plots"/>.</summary>
    public int PlotsTaken { get; set; }

    /// <summary>Larvae of the hall, at most 19.</summary>
    public List<SimUnit> Larvae { get; } = [];
    public int LarvaTimer { get; set; }

    /// <summary>Centers of building plots, in cells from the hall, away from the minerals.</summary>
    public static readonly (int Dx, int Dy)[] Plots =
    [
        (7, 0), (7, 4), (7, -4), (3, 8), (3, -8), (7, 8), (7, -8), (11, 0), (11, 4), (11, -4), (11, 8), (11, -8),
        (-1, 11), (-1, -11), (3, 12), (3, -12), (7, 12), (7, -12), (15, 2), (15, -2), (15, 6), (15, -6),
    ];
}
