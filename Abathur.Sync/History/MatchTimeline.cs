using Abathur.Protobuf.FieldMasks;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using SC2APIProtocol;
using Frame = Abathur.Sync.Frames.Frame;

namespace Abathur.Sync.History;

/// <summary>Some numbers of the match, one row a game second, for graphs. Thread-safe.</summary>
internal sealed class MatchTimeline
{
    /// <summary>Game loops from one row to the next at least: a second of a game at 22.4 loops a second.</summary>
    public const uint LoopsPerRow = 22;

    /// <summary>Rows that are kept: ten hours. With more, the oldest half is dropped.</summary>
    public const int MaxRows = 36_000;

    private static readonly (string Name, Func<Observation, float> Value)[] Columns =
    [
        ("minerals", seen => seen.PlayerCommon?.Minerals ?? 0),
        ("vespene", seen => seen.PlayerCommon?.Vespene ?? 0),
        ("food_used", seen => seen.PlayerCommon?.FoodUsed ?? 0),
        ("food_cap", seen => seen.PlayerCommon?.FoodCap ?? 0),
        ("food_army", seen => seen.PlayerCommon?.FoodArmy ?? 0),
        ("food_workers", seen => seen.PlayerCommon?.FoodWorkers ?? 0),
        ("idle_worker_count", seen => seen.PlayerCommon?.IdleWorkerCount ?? 0),
        ("army_count", seen => seen.PlayerCommon?.ArmyCount ?? 0),
        ("warp_gate_count", seen => seen.PlayerCommon?.WarpGateCount ?? 0),
        ("larva_count", seen => seen.PlayerCommon?.LarvaCount ?? 0),
        ("collection_rate_minerals", seen => seen.Score?.ScoreDetails?.CollectionRateMinerals ?? 0),
        ("collection_rate_vespene", seen => seen.Score?.ScoreDetails?.CollectionRateVespene ?? 0),
        ("collected_minerals", seen => seen.Score?.ScoreDetails?.CollectedMinerals ?? 0),
        ("collected_vespene", seen => seen.Score?.ScoreDetails?.CollectedVespene ?? 0),
        ("spent_minerals", seen => seen.Score?.ScoreDetails?.SpentMinerals ?? 0),
        ("spent_vespene", seen => seen.Score?.ScoreDetails?.SpentVespene ?? 0),
        ("total_value_units", seen => seen.Score?.ScoreDetails?.TotalValueUnits ?? 0),
        ("total_value_structures", seen => seen.Score?.ScoreDetails?.TotalValueStructures ?? 0),
        ("killed_value_units", seen => seen.Score?.ScoreDetails?.KilledValueUnits ?? 0),
        ("killed_value_structures", seen => seen.Score?.ScoreDetails?.KilledValueStructures ?? 0),
        ("army_minerals", seen => seen.Score?.ScoreDetails?.UsedMinerals?.Army ?? 0),
        ("army_vespene", seen => seen.Score?.ScoreDetails?.UsedVespene?.Army ?? 0),
        ("lost_minerals", seen => Sum(seen.Score?.ScoreDetails?.LostMinerals)),
        ("lost_vespene", seen => Sum(seen.Score?.ScoreDetails?.LostVespene)),
    ];

    private static readonly WireProjection Needed = WireProjection.For(
        ResponseObservation.Descriptor, ["observation.player_common", "observation.score"]);

    private readonly Lock _gate = new();
    private readonly List<uint> _gameLoops = [];
    private readonly List<float>[] _values = [.. Columns.Select(_ => new List<float>())];

    /// <summary>Adds a row if the frame is a game second after the last one. A game loop that goes back replaces the rows from there
    /// on.</summary>
    public void Add(Frame frame)
    {
        lock (_gate)
        {
            RemoveFrom(frame.GameLoop);
            if (_gameLoops.Count > 0 && frame.GameLoop - _gameLoops[^1] < LoopsPerRow) return;
            if (Read(frame.Observation.Span) is not { } observation) return;
            if (_gameLoops.Count == MaxRows) RemoveOldest(MaxRows / 2);
            _gameLoops.Add(frame.GameLoop);
            for (var i = 0; i < Columns.Length; i++) _values[i].Add(Columns[i].Value(observation));
        }
    }

    /// <summary>The rows after a game loop; 0: all.</summary>
    public Timeline After(uint gameLoop)
    {
        lock (_gate)
        {
            var first = gameLoop == 0 ? 0 : IndexAfter(gameLoop);
            var timeline = new Timeline { GameLoops = { _gameLoops.Skip(first) } };
            for (var i = 0; i < Columns.Length; i++)
                timeline.Columns.Add(new Timeline.Types.Column { Name = Columns[i].Name, Values = { _values[i].Skip(first) } });
            return timeline;
        }
    }

    private static float Sum(CategoryScoreDetails? details) =>
        details is null ? 0 : details.None + details.Army + details.Economy + details.Technology + details.Upgrade;

    /// <summary>Null if the observation is damaged, which encoders report.</summary>
    private static Observation? Read(ReadOnlySpan<byte> observation)
    {
        var needed = SharedBuffer.Rent();
        try
        {
            Needed.Project(observation, needed);
            return ResponseObservation.Parser.ParseFrom(needed.Span).Observation;
        }
        catch (Exception e) when (e is InvalidDataException or Google.Protobuf.InvalidProtocolBufferException)
        {
            return null;
        }
        finally
        {
            needed.Release();
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
    }

    private void RemoveOldest(int rows)
    {
        _gameLoops.RemoveRange(0, rows);
        foreach (var values in _values) values.RemoveRange(0, rows);
    }
}
