namespace Abathur.Emulator.Queries;

/// <summary>Path lengths over the open cells of a grid, in map cells: an estimate of the game's own path finding.</summary>
/// <remarks>
/// If the straight line is open, its length. Else the shortest path from cell to cell by steps to the eight neighbours (a diagonal
/// one only if both cells beside it are open), of 10 and 14 tenths: up to 8 % longer than the path of a unit.
/// </remarks>
internal sealed class PathingDistances(TerrainGrid grid)
{
    private const int Straight = 10;
    private const int Diagonal = 14;
    private const int Unreached = int.MaxValue;
    // Bots query distances from many units to few targets.
    private const int MaxKnown = 16;
    private readonly Dictionary<int, int[]> _fields = [];
    private readonly Queue<int> _order = new();

    /// <summary>Path length between two points in map cells; 0 if one of them is closed, they are the same, or there is no
    /// path.</summary>
    public float Between(float fromX, float fromY, float toX, float toY)
    {
        var (x, y, endX, endY) = (TerrainGrid.CellAt(fromX), TerrainGrid.CellAt(fromY), TerrainGrid.CellAt(toX), TerrainGrid.CellAt(toY));
        if (!grid[x, y] || !grid[endX, endY]) return 0;
        var straight = MathF.Sqrt((toX - fromX) * (toX - fromX) + (toY - fromY) * (toY - fromY));
        if (IsLineOpen(fromX, fromY, toX, toY)) return straight;
        var tenths = FieldOf(endX, endY)[y * grid.Width + x];
        return tenths == Unreached ? 0 : MathF.Max(straight, tenths / 10f);
    }

    /// <summary>
    /// The point itself if its cell is open; otherwise the center of the nearest open cell, at most <paramref name="radius"/> cells away.
    /// Null if there is no
    /// such cell, or the point is not on the map.
    /// </summary>
    public (float X, float Y)? NearestOpen(float x, float y, int radius)
    {
        var (cellX, cellY) = (TerrainGrid.CellAt(x), TerrainGrid.CellAt(y));
        if (grid[cellX, cellY]) return (x, y);
        if ((uint)cellX >= (uint)grid.Width || (uint)cellY >= (uint)grid.Height) return null;
        (float X, float Y)? nearest = null;
        var least = float.MaxValue;
        for (var dy = -radius; dy <= radius; dy++)
        {
            for (var dx = -radius; dx <= radius; dx++)
            {
                if (!grid[cellX + dx, cellY + dy]) continue;
                var (centerX, centerY) = (cellX + dx + 0.5f, cellY + dy + 0.5f);
                var distance = (centerX - x) * (centerX - x) + (centerY - y) * (centerY - y);
                if (distance >= least) continue;
                least = distance;
                nearest = (centerX, centerY);
            }
        }
        return nearest;
    }

    /// <summary>Whether a straight line stays on open cells, and passes no corner where two closed ones touch.</summary>
    private bool IsLineOpen(float fromX, float fromY, float toX, float toY)
    {
        // The same result in both directions.
        if ((toX, toY).CompareTo((fromX, fromY)) < 0) (fromX, fromY, toX, toY) = (toX, toY, fromX, fromY);
        var (dx, dy) = (toX - fromX, toY - fromY);
        var looks = (int)(4 * MathF.Max(MathF.Abs(dx), MathF.Abs(dy))) + 1;
        var (lastX, lastY) = ((int)fromX, (int)fromY);
        for (var i = 1; i <= looks; i++)
        {
            var part = (float)i / looks;
            var (x, y) = ((int)(fromX + dx * part), (int)(fromY + dy * part));
            if (!grid[x, y] || !grid[x, lastY] || !grid[lastX, y]) return false;
            (lastX, lastY) = (x, y);
        }
        return true;
    }

    /// <summary>The distance of every cell to one, by buckets of equal distance: no step is longer than 14.</summary>
    private int[] FieldOf(int x, int y)
    {
        var start = y * grid.Width + x;
        if (_fields.TryGetValue(start, out var known)) return known;
        var field = new int[grid.Width * grid.Height];
        Array.Fill(field, Unreached);
        field[start] = 0;
        var buckets = new Stack<int>[Diagonal + 1];
        for (var i = 0; i < buckets.Length; i++) buckets[i] = new Stack<int>();
        buckets[0].Push(start);
        var waiting = 1;
        for (var distance = 0; waiting > 0; distance++)
        {
            var bucket = buckets[distance % buckets.Length];
            while (bucket.TryPop(out var cell))
            {
                waiting--;
                if (field[cell] != distance) continue;
                var (cellX, cellY) = (cell % grid.Width, cell / grid.Width);
                for (var stepY = -1; stepY <= 1; stepY++)
                {
                    for (var stepX = -1; stepX <= 1; stepX++)
                    {
                        var isDiagonal = stepX != 0 && stepY != 0;
                        if ((stepX == 0 && stepY == 0) || !grid[cellX + stepX, cellY + stepY]) continue;
                        if (isDiagonal && !(grid[cellX + stepX, cellY] && grid[cellX, cellY + stepY])) continue;
                        var next = cell + stepY * grid.Width + stepX;
                        var length = distance + (isDiagonal ? Diagonal : Straight);
                        if (length >= field[next]) continue;
                        field[next] = length;
                        buckets[length % buckets.Length].Push(next);
                        waiting++;
                    }
                }
            }
        }
        if (_order.Count == MaxKnown) _fields.Remove(_order.Dequeue());
        _order.Enqueue(start);
        return _fields[start] = field;
    }
}
