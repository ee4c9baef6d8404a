namespace Abathur.Synth;

/// <summary>Creep: every source grows its disc cell by cell, and loses it in reverse order after it has died.</summary>
internal sealed class Creep
{
    private const int MaxRadius = 12;
    private const int LoopsPerCell = 4;

    private readonly MapLayout _map;
    private readonly byte[] _covers;
    private readonly List<Source> _sources = [];
    private readonly HashSet<ulong> _known = [];
    private readonly (int Dx, int Dy)[] _order;

    public Creep(World world)
    {
        _map = world.Map;
        _covers = new byte[_map.Width * _map.Height];
        Bits = new byte[_map.Width * _map.Height / 8];
        Bytes = new byte[_map.Width * _map.Height];
        _order = MakeOrder(world.Options.Seed);
    }

    /// <summary>One bit per cell, the first cell in the highest bit.</summary>
    public byte[] Bits { get; }

    /// <summary>One byte per cell, 0 or 1.</summary>
    public byte[] Bytes { get; }

    public bool IsAt(int cellX, int cellY) => Bytes[cellY * _map.Width + cellX] != 0;

    /// <summary>One game loop.</summary>
    /// <param name="world">The world with the sources.</param>
    /// <param name="whole">Whether all sources have their whole disc at once.</param>
    public void Step(World world, bool whole = false)
    {
        foreach (var unit in world.Units)
        {
            if (unit.Type.CreepRadius > 0 && unit.IsFinished && _known.Add(unit.Tag))
                _sources.Add(new Source(unit, CellsWithin(unit.Type.CreepRadius)));
        }

        for (var i = _sources.Count - 1; i >= 0; i--)
        {
            var source = _sources[i];
            if (whole) while (source.Cells < source.Limit) Cover(source, 1);
            if (!source.Unit.IsAlive)
            {
                if (source.Cells == 0) _sources.RemoveAt(i);
                else if (world.Loop % 2 == 0) Cover(source, -1);
            }
            else if (source.Cells < source.Limit && (world.Loop + i) % LoopsPerCell == 0)
            {
                Cover(source, 1);
            }
        }
    }

    private void Cover(Source source, int change)
    {
        if (change < 0) source.Cells--;
        var (dx, dy) = _order[source.Cells];
        if (change > 0) source.Cells++;
        int x = (source.Unit.X >> 12) + dx, y = (source.Unit.Y >> 12) + dy;
        if (!_map.IsPlayable(x, y)) return;
        var cell = y * _map.Width + x;
        _covers[cell] = (byte)(_covers[cell] + change);
        var on = _covers[cell] > 0;
        Bytes[cell] = on ? (byte)1 : (byte)0;
        var bit = (byte)(0x80 >> (cell & 7));
        Bits[cell >> 3] = on ? (byte)(Bits[cell >> 3] | bit) : (byte)(Bits[cell >> 3] & ~bit);
    }

    private int CellsWithin(int radius)
    {
        var cells = 0;
        foreach (var (dx, dy) in _order)
        {
            if (dx * dx + dy * dy <= radius * radius) cells++;
        }

        return cells;
    }

    // All cells of the largest disc, near ones first, with a ragged edge.
    private static (int Dx, int Dy)[] MakeOrder(ulong seed)
    {
        var random = new SynthRandom(seed ^ 0xC4EE9);
        var cells = new List<(int Key, int Dx, int Dy)>();
        for (var dy = -MaxRadius; dy <= MaxRadius; dy++)
        {
            for (var dx = -MaxRadius; dx <= MaxRadius; dx++)
            {
                var square = dx * dx + dy * dy;
                if (square <= MaxRadius * MaxRadius) cells.Add((Fixed.Distance(dx * 64, dy * 64) + random.Below(110), dx, dy));
            }
        }

        cells.Sort();
        return [.. cells.Select(static cell => (cell.Dx, cell.Dy))];
    }

    private sealed class Source(SimUnit unit, int limit)
    {
        public SimUnit Unit { get; } = unit;
        public int Limit { get; } = limit;
        public int Cells { get; set; }
    }
}
