using Abathur.Protobuf;
using Abathur.Protobuf.FieldMasks;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Matches.History;

/// <summary>Some numbers of the match, one row a game second, for graphs, and what happened when. Thread-safe.</summary>
internal sealed class MatchTimeline
{
    /// <summary>Game loops from one row to the next at least: a second of a game at 22.4 loops a second.</summary>
    public const uint LoopsPerRow = 22;

    /// <summary>Rows that are kept: ten hours. With more, the oldest half is dropped.</summary>
    public const int MaxRows = 36_000;

    /// <summary>A match that is seen from here on is seen from its beginning: 10 s.</summary>
    private const uint BeginningLoops = 224;

    private static readonly WireProjection Needed = WireProjection.For(
        ResponseObservation.Descriptor,
        [
            "observation.player_common", "observation.score", "observation.raw_data.player.upgrade_ids",
            "observation.raw_data.units.display_type", "observation.raw_data.units.alliance", "observation.raw_data.units.tag",
            "observation.raw_data.units.unit_type", "observation.raw_data.units.pos",
        ]);

    private readonly Lock _gate = new();
    private readonly List<uint> _gameLoops = [];
    private readonly List<float>[] _values = [.. TimelineColumns.Names.Select(_ => new List<float>())];
    private readonly float[] _row = new float[TimelineColumns.Names.Count];
    private readonly KnownUnits _known = new();
    private readonly MatchMarks _marks = new();
    private ResponseData? _gameData;
    private UnitKinds? _kinds;
    private bool _knowsUnits;

    /// <summary>The result of each player, as soon as an observation has it.</summary>
    public IReadOnlyList<PlayerResult> Results { get; private set; } = [];

    /// <summary>Memory that it takes, about.</summary>
    public long Bytes
    {
        get
        {
            lock (_gate) return ((long)_gameLoops.Capacity * sizeof(uint)) + _values.Sum(column => (long)column.Capacity * sizeof(float));
        }
    }

    /// <summary>Sets the data of the match. Called before its first frame.</summary>
    public void Begin(ResponseData? gameData)
    {
        lock (_gate) (_gameData, _kinds) = (gameData, null);
    }

    /// <summary>Adds a row if the frame is a game second after the last one. A game loop that goes back replaces the rows from there
    /// on.</summary>
    /// <param name="gameLoop">Game loop of the observation.</param>
    /// <param name="observation">A serialized <c>ResponseObservation</c>.</param>
    /// <param name="events">What happened once in it (<see cref="Abathur.Sc2.SkippedEvents"/>), as serialized fields of one.</param>
    public void Add(uint gameLoop, ReadOnlySpan<byte> observation, ReadOnlySpan<byte> events)
    {
        lock (_gate)
        {
            RemoveFrom(gameLoop);
            if (!events.IsEmpty) AddEvents(gameLoop, events);
            if (_gameLoops.Count > 0 && gameLoop - _gameLoops[^1] < LoopsPerRow) return;
            if (ReadNeeded(observation) is not { } seen) return;
            Look(gameLoop, seen);
            if (_gameLoops.Count == MaxRows) RemoveOldest(MaxRows / 2);
            _gameLoops.Add(gameLoop);
            TimelineColumns.Write(seen, _known.All, _row);
            for (var i = 0; i < _row.Length; i++) _values[i].Add(_row[i]);
        }
    }

    /// <summary>Adds all that is drawn at a game loop.</summary>
    public void AddDrawings(uint gameLoop, Drawings drawings)
    {
        HashSet<string> layers = [.. drawings.Layers.Where(layer => layer.Shapes.Count > 0).Select(layer => layer.Name)];
        lock (_gate) _marks.AddLayers(gameLoop, layers);
    }

    /// <summary>Drops what only further frames need.</summary>
    public void Complete()
    {
        lock (_gate)
        {
            _known.Clear();
            (_gameData, _kinds) = (null, null);
            _gameLoops.TrimExcess();
            foreach (var column in _values) column.TrimExcess();
        }
    }

    /// <summary>The rows after a game loop, and the marks that have begun or changed after it; 0: all.</summary>
    /// <param name="gameLoop">The game loop.</param>
    /// <param name="requireRoom">Is called with the bytes of the values before they are copied; throws if they are too many.</param>
    public Timeline After(uint gameLoop, Action<long>? requireRoom = null)
    {
        lock (_gate)
        {
            // Lists are copied as a whole, which Skip is not: frames wait for this lock.
            var first = gameLoop == 0 ? 0 : IndexAfter(gameLoop);
            var rows = _gameLoops.Count - first;
            requireRoom?.Invoke((long)rows * _values.Length * sizeof(float));
            var timeline = new Timeline { GameLoops = { _gameLoops.GetRange(first, rows) }, Marks = { _marks.After(gameLoop) } };
            for (var i = 0; i < _values.Length; i++)
            {
                var values = _values[i].GetRange(first, rows);
                timeline.Columns.Add(new Timeline.Types.Column { Name = TimelineColumns.Names[i], Values = { values } });
            }
            return timeline;
        }
    }

    /// <summary>Updates what is known of units and upgrades.</summary>
    private void Look(uint gameLoop, Observation seen)
    {
        if (seen.RawData is not { } raw) return;
        var isBeginning = !_knowsUnits && gameLoop < BeginningLoops;
        _marks.AddUpgrades(gameLoop, raw.Player?.UpgradeIds ?? [], isBeginning);
        // Bases of the first row were there before.
        _known.Update(raw.Units, _kinds ??= UnitKinds.Of(_gameData), (tag, unit) =>
        {
            _marks.RemoveDeath(tag);
            if (_knowsUnits && unit.Kind.IsBase) _marks.AddBase(gameLoop, unit);
        });
        _knowsUnits = true;
    }

    private void AddEvents(uint gameLoop, ReadOnlySpan<byte> events)
    {
        if (Read(events) is not { } response) return;
        foreach (var tag in response.Observation?.RawData?.Event?.DeadUnits ?? [])
        {
            if (_known.Remove(tag) is { } unit) _marks.AddDeath(gameLoop, tag, unit);
        }
        if (response.PlayerResult.Count > 0) Results = [.. response.PlayerResult];
        foreach (var said in response.Chat) _marks.AddChat(gameLoop, said);
    }

    /// <summary>Null if the observation is damaged, which encoders report.</summary>
    private static Observation? ReadNeeded(ReadOnlySpan<byte> observation)
    {
        var needed = SharedBuffer.Rent();
        try
        {
            Needed.Project(observation, needed);
            return Read(needed.Span)?.Observation;
        }
        catch (InvalidDataException)
        {
            return null;
        }
        finally
        {
            needed.Release();
        }
    }

    private static ResponseObservation? Read(ReadOnlySpan<byte> response)
    {
        try
        {
            return LenientParser.Parse<ResponseObservation>(response);
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }

    /// <summary>Index of the first row after a game loop.</summary>
    private int IndexAfter(long gameLoop)
    {
        var at = gameLoop < 0 ? -1 : _gameLoops.BinarySearch((uint)gameLoop);
        return at >= 0 ? at + 1 : ~at;
    }

    private void RemoveFrom(uint gameLoop)
    {
        if (_gameLoops.Count == 0 || _gameLoops[^1] <= gameLoop) return;
        var first = IndexAfter(gameLoop - 1L);
        _gameLoops.RemoveRange(first, _gameLoops.Count - first);
        foreach (var values in _values) values.RemoveRange(first, values.Count - first);
        _marks.RemoveFrom(gameLoop);
        _known.Clear();
        _knowsUnits = false;
    }

    private void RemoveOldest(int rows)
    {
        _gameLoops.RemoveRange(0, rows);
        foreach (var values in _values) values.RemoveRange(0, rows);
    }
}
