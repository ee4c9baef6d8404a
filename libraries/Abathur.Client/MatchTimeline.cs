using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>Numbers of a match, a row a game second, the oldest first.</summary>
public sealed class MatchTimeline
{
    private readonly uint[] _gameLoops;
    private readonly Dictionary<string, float[]> _columns;

    internal MatchTimeline(Timeline timeline)
    {
        _gameLoops = [.. timeline.GameLoops];
        Marks = timeline.Marks;
        _columns = new Dictionary<string, float[]>();
        foreach (var column in timeline.Columns)
        {
            if (column.Values.Count != _gameLoops.Length)
            {
                throw new ProtocolException(
                    $"the timeline has {column.Values.Count} values of {column.Name} for {_gameLoops.Length} game loops");
            }
            _columns[column.Name] = [.. column.Values];
        }
    }

    /// <summary>Game loop of each row.</summary>
    public ReadOnlySpan<uint> GameLoops => _gameLoops;

    /// <summary>What happened when, the oldest first: fights, bases, upgrades, drawings.</summary>
    public IReadOnlyList<Timeline.Types.Mark> Marks { get; }

    /// <summary>Names of the columns: such as <c>minerals</c>, <c>army_minerals</c>.</summary>
    public IReadOnlyCollection<string> Names => _columns.Keys;

    /// <summary>A column, a value a row.</summary>
    /// <exception cref="KeyNotFoundException">There is no such column.</exception>
    public ReadOnlySpan<float> this[string name] => _columns[name];
}
