namespace Abathur.Synth;

/// <summary>A point-symmetric open map: base sites, ground levels, and the grids of <c>ResponseGameInfo</c>.</summary>
internal sealed class MapLayout
{
    public const int Margin = 14;

    // One half of the sites as shares of the map's sides, in percent; the other half is its mirror image.
    private static readonly (int X, int Y, int Height)[] HalfSites =
    [
        (17, 80, 223), (20, 59, 207), (39, 84, 207), (16, 39, 191), (41, 63, 207), (62, 85, 191), (36, 41, 191), (15, 20, 191),
    ];

    private readonly int[] _vertexHeights;

    public MapLayout(SynthOptions options)
    {
        Width = options.MapWidth;
        Height = options.MapHeight;
        Sites = new BaseSite[options.BaseSites];
        for (var i = 0; i < Sites.Length / 2; i++)
        {
            var (px, py, height) = HalfSites[i];
            var x = Width * px / 100 * Fixed.One + Fixed.One / 2;
            var y = Height * py / 100 * Fixed.One + Fixed.One / 2;
            var side = x < Width * Fixed.One / 2 ? -1 : 1;
            Sites[i * 2] = new BaseSite(x, y) { Side = side, Height = height };
            Sites[i * 2 + 1] = new BaseSite(Width * Fixed.One - x, Height * Fixed.One - y) { Side = -side, Height = height };
        }

        TerrainHeight = MakeTerrain();
        _vertexHeights = MakeVertexHeights(options.Seed);
    }

    public int Width { get; }
    public int Height { get; }

    /// <summary>In the order main, main of the enemy, natural, natural of the enemy, and so on.</summary>
    public BaseSite[] Sites { get; }

    /// <summary>A byte per cell; 0 outside the playable area.</summary>
    public byte[] TerrainHeight { get; }

    public bool IsPlayable(int cellX, int cellY) =>
        cellX >= Margin && cellY >= Margin && cellX < Width - Margin && cellY < Height - Margin;

    /// <summary>Keeps a coordinate inside the playable area, half a cell from its edge.</summary>
    public static int Clamp(int value, int side) =>
        Math.Clamp(value, Margin * Fixed.One + Fixed.One / 2, (side - Margin) * Fixed.One - Fixed.One / 2);

    /// <summary>Height of the ground in 1/65536 cell, interpolated between the corners of the cell.</summary>
    public int GroundZ(int x, int y)
    {
        var cell = (y >> 12) * (Width + 1) + (x >> 12);
        int fx = x & 4095, fy = y & 4095;
        var low = _vertexHeights[cell] + (int)((long)(_vertexHeights[cell + 1] - _vertexHeights[cell]) * fx >> 12);
        var above = cell + Width + 1;
        var high = _vertexHeights[above] + (int)((long)(_vertexHeights[above + 1] - _vertexHeights[above]) * fx >> 12);
        return low + (int)((long)(high - low) * fy >> 12);
    }

    /// <summary>Height of a flying unit, which follows the ground in steps of 1/128.</summary>
    public int AirZ(int x, int y) => (GroundZ(x, y) + 65536 * 15 / 4) >> 9 << 9;

    private byte[] MakeTerrain()
    {
        var rough = new int[Width * Height];
        for (var y = 0; y < Height; y++)
        {
            for (var x = 0; x < Width; x++) rough[y * Width + x] = LevelAt(x, y);
        }

        // Ramps: two passes of a box of 5 by 5.
        var terrain = Blur(Blur(rough));
        var bytes = new byte[terrain.Length];
        for (var i = 0; i < bytes.Length; i++) bytes[i] = IsPlayable(i % Width, i / Width) ? (byte)terrain[i] : (byte)0;
        return bytes;
    }

    private int LevelAt(int x, int y)
    {
        foreach (var site in Sites)
        {
            int dx = x - (site.X >> 12), dy = y - (site.Y >> 12);
            if (dx * dx + dy * dy < 17 * 17) return site.Height;
        }

        return 191;
    }

    private int[] Blur(int[] from)
    {
        var to = (int[])from.Clone();
        for (var y = 2; y < Height - 2; y++)
        {
            for (var x = 2; x < Width - 2; x++)
            {
                var sum = 0;
                for (var dy = -2; dy <= 2; dy++)
                {
                    for (var dx = -2; dx <= 2; dx++) sum += from[(y + dy) * Width + x + dx];
                }

                to[y * Width + x] = sum / 25;
            }
        }

        return to;
    }

    // Level ground lies 0.006 to 0.012 below its nominal height, with a small dent at every fourth corner.
    private int[] MakeVertexHeights(ulong seed)
    {
        var random = new SynthRandom(seed ^ 0x7E44A1);
        var heights = new int[(Width + 1) * (Height + 1)];
        for (var y = 0; y <= Height; y++)
        {
            for (var x = 0; x <= Width; x++)
            {
                var level = TerrainHeight[Math.Min(y, Height - 1) * Width + Math.Min(x, Width - 1)];
                var dent = random.Chance(250) ? random.Below(160) : 0;
                heights[y * (Width + 1) + x] = level * 8192 - 65536 * 127 / 8 - 760 - dent;
            }
        }

        return heights;
    }
}
