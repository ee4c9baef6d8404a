namespace Abathur.Synth;

/// <summary>The vision of player 1: sight discs on the grid, and which units of others are visible or snapshots.</summary>
internal sealed class Vision
{
    private const byte Explored = 1;
    private const byte Visible = 2;
    private const int MaxSight = 24;

    private readonly World _world;
    private readonly byte[] _explored;
    private readonly int[][] _halfWidths = MakeHalfWidths();

    public Vision(World world)
    {
        _world = world;
        _explored = new byte[world.Map.Width * world.Map.Height];
        Grid = new byte[_explored.Length];
    }

    /// <summary>A byte per cell: 0 never seen, 1 seen before, 2 seen now.</summary>
    public byte[] Grid { get; }

    /// <summary>Updates the grid and the visibility of every unit.</summary>
    public void Step()
    {
        _explored.CopyTo(Grid, 0);
        foreach (var unit in _world.Units)
        {
            if (unit.Owner == 1 && !unit.IsInside) Draw(unit);
        }

        for (var i = 0; i < _world.Units.Count; i++)
        {
            var unit = _world.Units[i];
            if (unit.Owner == 1) unit.IsSeen = true;
            else Look(unit);
        }

        _world.Ghosts.RemoveAll(unit => Grid[(unit.Y >> 12) * _world.Map.Width + (unit.X >> 12)] == Visible);
    }

    /// <summary>Counts a disc of ten cells as seen before.</summary>
    public void Explore(int x, int y)
    {
        for (var dy = -10; dy <= 10; dy++)
        {
            var half = _halfWidths[10][Math.Abs(dy)];
            _explored.AsSpan(((y >> 12) + dy) * _world.Map.Width + (x >> 12) - half, half * 2 + 1).Fill(Explored);
        }
    }

    private void Draw(SimUnit unit)
    {
        var sight = unit.IsFinished ? unit.Type.Sight : Math.Min(unit.Type.Sight, 5);
        int cx = unit.X >> 12, cy = unit.Y >> 12, width = _world.Map.Width;
        var halves = _halfWidths[sight];
        for (var dy = -sight; dy <= sight; dy++)
        {
            var y = cy + dy;
            if (y < MapLayout.Margin || y >= _world.Map.Height - MapLayout.Margin) continue;
            var half = halves[Math.Abs(dy)];
            var from = Math.Max(cx - half, MapLayout.Margin);
            var to = Math.Min(cx + half, width - MapLayout.Margin - 1);
            if (to < from) continue;
            Grid.AsSpan(y * width + from, to - from + 1).Fill(Visible);
            _explored.AsSpan(y * width + from, to - from + 1).Fill(Explored);
        }
    }

    private void Look(SimUnit unit)
    {
        var seen = !unit.IsInside && Grid[(unit.Y >> 12) * _world.Map.Width + (unit.X >> 12)] == Visible && unit.Type != UnitTypes.Observer;
        if (seen) unit.HasSnapshot = false;
        else if (unit.IsSeen && unit.Type.IsStructure)
        {
            unit.HasSnapshot = true;
            unit.SnapshotTag = _world.NextSnapshotTag(unit);
        }

        unit.IsSeen = seen;
    }

    private static int[][] MakeHalfWidths()
    {
        var all = new int[MaxSight + 1][];
        for (var radius = 0; radius <= MaxSight; radius++)
        {
            all[radius] = new int[radius + 1];
            for (var dy = 0; dy <= radius; dy++) all[radius][dy] = (int)Math.Sqrt(radius * radius - dy * dy + radius * 0.8);
        }

        return all;
    }
}
