namespace Abathur.Sync.Matches.Plots;

/// <summary>One series of an agent, in the order of its game loops. Bounded. Not thread-safe.</summary>
internal sealed class PlotSeries(string agent, string name, bool isRecorded)
{
    /// <summary>Points that are kept. With more, every second one is dropped, and later ones are as far apart as the rest.</summary>
    public const int MaxPoints = 4096;

    private readonly List<uint> _gameLoops = [];
    private readonly List<double> _values = [];
    private uint _least = 1;

    /// <summary>Number of points.</summary>
    public int Count => _gameLoops.Count;

    /// <summary>Adds a point. The last point of a game loop replaces earlier ones.</summary>
    public void Add(uint gameLoop, double value)
    {
        var at = IndexFrom(gameLoop);
        if (at < Count && _gameLoops[at] == gameLoop)
        {
            _values[at] = value;
            return;
        }
        if (at == Count && at > 0 && gameLoop - _gameLoops[at - 1] < _least) return;
        _gameLoops.Insert(at, gameLoop);
        _values.Insert(at, value);
        if (Count > MaxPoints) Thin();
    }

    /// <summary>Removes the points after a game loop.</summary>
    public void RemoveAfter(uint gameLoop)
    {
        var first = gameLoop == uint.MaxValue ? Count : IndexFrom(gameLoop + 1);
        _gameLoops.RemoveRange(first, Count - first);
        _values.RemoveRange(first, _values.Count - first);
    }

    /// <summary>The points after a game loop, at most up to another one. Null if there are none.</summary>
    public V1.Plots.Types.Series? Between(uint after, uint until)
    {
        var (first, end) = RangeOf(after, until);
        if (first >= end) return null;
        return new V1.Plots.Types.Series
        {
            Agent = agent,
            Name = name,
            Recorded = isRecorded,
            GameLoops = { _gameLoops[first..end] },
            Values = { _values[first..end] },
        };
    }

    /// <summary>Number of the points after a game loop, at most up to another one.</summary>
    public int CountBetween(uint after, uint until)
    {
        var (first, end) = RangeOf(after, until);
        return Math.Max(end - first, 0);
    }

    private (int First, int End) RangeOf(uint after, uint until) => (
        after == 0 ? 0 : IndexFrom(after == uint.MaxValue ? after : after + 1),
        until == uint.MaxValue ? Count : IndexFrom(until + 1));

    /// <summary>Index of the first point at or after a game loop.</summary>
    private int IndexFrom(uint gameLoop)
    {
        var at = _gameLoops.BinarySearch(gameLoop);
        return at >= 0 ? at : ~at;
    }

    private void Thin()
    {
        var kept = 0;
        for (var i = 0; i < Count; i += 2, kept++) (_gameLoops[kept], _values[kept]) = (_gameLoops[i], _values[i]);
        _gameLoops.RemoveRange(kept, Count - kept);
        _values.RemoveRange(kept, _values.Count - kept);
        _least = Math.Max((_gameLoops[^1] - _gameLoops[0]) / (uint)kept, _least);
    }
}
