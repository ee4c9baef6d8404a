using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Matches.Plots;

/// <summary>Numbers of agents over time. Bounded. Thread-safe.</summary>
/// <param name="isRecorded">Whether they come from the recording that is played.</param>
public sealed class PlotBoard(bool isRecorded = false)
{
    /// <summary>Maximum number of series of one agent.</summary>
    public const int MaxSeriesOfAgent = 64;

    /// <summary>Maximum number of series, of all agents.</summary>
    public const int MaxSeries = 256;

    /// <summary>Values that wait to be recorded at most. Then requests are refused until an observation comes.</summary>
    public const int MaxWaiting = 16 * 1024;

    private static readonly Comparer<(string Agent, string Name)> ByName = Comparer<(string Agent, string Name)>.Create(
        (one, other) =>
            string.CompareOrdinal(one.Agent, other.Agent) is not 0 and var order ? order : string.CompareOrdinal(one.Name, other.Name));

    private readonly Lock _gate = new();
    private readonly SortedDictionary<(string Agent, string Name), PlotSeries> _series = new(ByName);
    private V1.Plots _waiting = new();
    private int _waitingValues;
    private bool _keepsForRecording;
    private uint _gameLoop;

    /// <summary>Raised with each request whose values were added, and the game loop that they belong to, on the thread of the request.
    /// Handlers must neither block nor throw.</summary>
    internal event Action<PlotRequest, uint>? Plotted;

    /// <summary>Memory of the points, about.</summary>
    public long Bytes
    {
        get
        {
            lock (_gate) return _series.Values.Sum(series => (long)series.Count * (sizeof(uint) + sizeof(double)));
        }
    }

    /// <summary>Adds values.</summary>
    /// <param name="request">Checked (<see cref="PlotRules"/>).</param>
    /// <param name="problem">Why nothing was added; empty if it was.</param>
    /// <returns>The result; null if nothing was added.</returns>
    public PlotResult? TryPlot(PlotRequest request, out string problem)
    {
        uint gameLoop;
        lock (_gate)
        {
            problem = ProblemOf(request);
            if (problem.Length > 0) return null;
            gameLoop = request.HasGameLoop ? Math.Min(request.GameLoop, _gameLoop) : _gameLoop;
            foreach (var value in request.Values)
            {
                // There is room: it was checked.
                SeriesOf(request.Agent, value.Name)!.Add(gameLoop, value.Value);
                if (_keepsForRecording) Wait(request.Agent, value, gameLoop);
            }
        }
        Plotted?.Invoke(request, gameLoop);
        return new PlotResult { GameLoop = gameLoop };
    }

    /// <summary>Sets the game loop. If a playback went back, later points are removed.</summary>
    public void Advance(uint gameLoop)
    {
        lock (_gate)
        {
            if (gameLoop < _gameLoop) foreach (var series in _series.Values) series.RemoveAfter(gameLoop);
            _gameLoop = gameLoop;
        }
    }

    /// <summary>Adds points of a recording: a serialized <see cref="V1.Plots"/>. What is invalid or too much is omitted.</summary>
    public void AddRecorded(ReadOnlySpan<byte> plots)
    {
        V1.Plots message;
        try
        {
            message = V1.Plots.Parser.ParseFrom(plots);
        }
        catch (InvalidProtocolBufferException)
        {
            return;
        }
        lock (_gate)
        {
            foreach (var series in message.Series) AddRecorded(series);
        }
    }

    /// <summary>The points after a game loop (0: all), and at most up to another one.</summary>
    /// <param name="after">The game loop after which they begin.</param>
    /// <param name="until">The last game loop.</param>
    /// <param name="requireRoom">Is called with the bytes of the values before they are copied; throws if they are too many.</param>
    public V1.Plots Between(uint after, uint until, Action<long>? requireRoom = null)
    {
        lock (_gate)
        {
            requireRoom?.Invoke(_series.Values.Sum(series => (long)series.CountBetween(after, until) * sizeof(double)));
            var plots = new V1.Plots();
            foreach (var series in _series.Values)
            {
                if (series.Between(after, until) is { } points) plots.Series.Add(points);
            }
            return plots;
        }
    }

    /// <summary>The points since the last call, to be recorded, serialized; empty if there are none. The first call only begins to keep
    /// them.</summary>
    public ReadOnlyMemory<byte> TakeForRecording()
    {
        lock (_gate)
        {
            _keepsForRecording = true;
            if (_waitingValues == 0) return default;
            var bytes = _waiting.ToByteArray();
            (_waiting, _waitingValues) = (new V1.Plots(), 0);
            return bytes;
        }
    }

    private string ProblemOf(PlotRequest request)
    {
        var added = request.Values.Select(value => value.Name).Distinct().Count(name => !_series.ContainsKey((request.Agent, name)));
        if (added > 0 && _series.Keys.Count(key => key.Agent == request.Agent) + added > MaxSeriesOfAgent)
            return $"more than {MaxSeriesOfAgent} series of agent \"{request.Agent}\"";
        if (added > 0 && _series.Count + added > MaxSeries) return $"more than {MaxSeries} series of all agents";
        return _keepsForRecording && _waitingValues + request.Values.Count > MaxWaiting
            ? $"{MaxWaiting} values wait to be recorded with the next observation: plot less often"
            : "";
    }

    private void Wait(string agent, PlotRequest.Types.Sample value, uint gameLoop)
    {
        var series = _waiting.Series.FirstOrDefault(each => each.Agent == agent && each.Name == value.Name);
        if (series is null) _waiting.Series.Add(series = new() { Agent = agent, Name = value.Name });
        series.GameLoops.Add(gameLoop);
        series.Values.Add(value.Value);
        _waitingValues++;
    }

    private void AddRecorded(V1.Plots.Types.Series points)
    {
        if (points.Agent.Length > PlotRules.MaxNameLength) return;
        PlotSeries? series = null;
        for (var i = 0; i < Math.Min(points.GameLoops.Count, points.Values.Count); i++)
        {
            if (PlotRules.Problem(points.Name, points.Values[i]) is not null) continue;
            series ??= SeriesOf(points.Agent, points.Name);
            if (series is null) return;
            series.Add(points.GameLoops[i], points.Values[i]);
        }
    }

    /// <summary>The series of an agent, which is added where it is new; null if there are too many.</summary>
    private PlotSeries? SeriesOf(string agent, string name)
    {
        if (_series.TryGetValue((agent, name), out var series)) return series;
        return _series.Count == MaxSeries ? null : _series[(agent, name)] = new(agent, name, isRecorded);
    }
}
