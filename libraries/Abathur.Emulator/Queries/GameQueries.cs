using System.Diagnostics.CodeAnalysis;
using Abathur.Protobuf;
using SC2APIProtocol;

namespace Abathur.Emulator.Queries;

/// <summary>Answers <c>RequestQuery</c> from the recorded grids, game data and units: plausible values, in the number and order of the
/// game's. Not thread-safe.</summary>
public sealed class GameQueries
{
    /// <summary>Maximum number of queries in one request. A bot that queries every unit and every expansion stays far below.</summary>
    public const int MaxQueries = 10_000;

    // A unit may be inside a footprint or next to the open ground; a start location is the center of a footprint.
    private const int SnapRadius = 4;

    private readonly PathingDistances _pathing;
    private readonly IReadOnlyList<Point2D> _startLocations;
    private readonly BuildingPlacement _placement;
    private readonly AvailableAbilities _abilities;
    private uint? _loop;
    private ObservationRaw _raw = new();
    private PlayerCommon _common = new();
    private Dictionary<ulong, Unit> _units = [];

    /// <param name="info">Game info of the match; its grids are kept.</param>
    /// <param name="data">Game data of the match.</param>
    public GameQueries(ResponseGameInfo info, ResponseData data)
    {
        _pathing = new PathingDistances(TerrainGrid.From(info.StartRaw?.PathingGrid));
        _startLocations = info.StartRaw?.StartLocations ?? [];
        _placement = new BuildingPlacement(TerrainGrid.From(info.StartRaw?.PlacementGrid), data);
        _abilities = new AvailableAbilities(data);
    }

    /// <summary>Answers a request at an observation. False, with the reason, if it has too many queries.</summary>
    /// <param name="request">The queries.</param>
    /// <param name="gameLoop">Game loop of the observation, which identifies it.</param>
    /// <param name="observation">Serialized <c>ResponseObservation</c>.</param>
    /// <param name="answer">One answer for each query, in the same order.</param>
    /// <param name="refusal">Why the request is refused.</param>
    /// <exception cref="Google.Protobuf.InvalidProtocolBufferException">The observation is damaged.</exception>
    public bool TryAnswer(
        RequestQuery request, uint gameLoop, ReadOnlyMemory<byte> observation, [NotNullWhen(true)] out ResponseQuery? answer,
        [NotNullWhen(false)] out string? refusal)
    {
        (answer, refusal) = (null, null);
        var count = request.Pathing.Count + request.Abilities.Count + request.Placements.Count;
        if (count > MaxQueries)
        {
            refusal = $"{count} queries in one request are more than {MaxQueries}";
            return false;
        }
        Read(gameLoop, observation);
        answer = new ResponseQuery();
        foreach (var query in request.Pathing) answer.Pathing.Add(new ResponseQueryPathing { Distance = Distance(query) });
        foreach (var query in request.Abilities) answer.Abilities.Add(Abilities(query.UnitTag, request.IgnoreResourceRequirements));
        foreach (var query in request.Placements)
        {
            var placing = _units.GetValueOrDefault(query.PlacingUnitTag);
            var result = _placement.Check((uint)query.AbilityId, query.TargetPos, placing, _raw.Units);
            if (result == ActionResult.Success && !request.IgnoreResourceRequirements)
                result = _placement.Affordable((uint)query.AbilityId, _common);
            answer.Placements.Add(new ResponseQueryBuildingPlacement { Result = result });
        }
        return true;
    }

    private void Read(uint gameLoop, ReadOnlyMemory<byte> observation)
    {
        if (_loop == gameLoop) return;
        var parsed = LenientParser.Parse<ResponseObservation>(observation.Span).Observation;
        _raw = parsed?.RawData ?? new ObservationRaw();
        _common = parsed?.PlayerCommon ?? new PlayerCommon();
        _units = [];
        // Placeholders and blips have no tag.
        foreach (var unit in _raw.Units.Where(unit => unit.Tag != 0)) _units[unit.Tag] = unit;
        _loop = gameLoop;
    }

    private float Distance(RequestQueryPathing query)
    {
        if (query.EndPos is not { } end) return 0;
        if (query.StartCase == RequestQueryPathing.StartOneofCase.StartPos) return Walk(query.StartPos.X, query.StartPos.Y, end);
        if (!_units.TryGetValue(query.UnitTag, out var unit) || unit.Pos is not { } at) return 0;
        if (unit.IsFlying) return MathF.Sqrt((end.X - at.X) * (end.X - at.X) + (end.Y - at.Y) * (end.Y - at.Y));
        return Walk(at.X, at.Y, end);
    }

    /// <summary>Distance from the open cell nearest to a point to another point, or to the open cell nearest to that if a building or a
    /// resource stands on it.</summary>
    private float Walk(float x, float y, Point2D end)
    {
        if (_pathing.NearestOpen(x, y, SnapRadius) is not { } from) return 0;
        var to = IsBuiltUpon(end) ? _pathing.NearestOpen(end.X, end.Y, SnapRadius) : (end.X, end.Y);
        return to is { } reached ? _pathing.Between(from.X, from.Y, reached.X, reached.Y) : 0;
    }

    /// <summary>Whether a closed cell may be closed by a building or resource rather than by the terrain.</summary>
    private bool IsBuiltUpon(Point2D point) =>
        _startLocations.Any(start => BuildingPlacement.IsInTownHall(start, point))
            || _raw.Units.Any(unit => _placement.Covers(unit, point));

    private ResponseQueryAvailableAbilities Abilities(ulong tag, bool ignoreResources)
    {
        var answer = new ResponseQueryAvailableAbilities { UnitTag = tag };
        if (!_units.TryGetValue(tag, out var unit)) return answer;
        answer.UnitTypeId = unit.UnitType;
        answer.Abilities.AddRange(_abilities.Of(unit, _raw.Units, ignoreResources ? null : _common));
        return answer;
    }
}
