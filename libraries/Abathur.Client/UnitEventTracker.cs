using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>Finds what happened between two frames, in the order of BotAI. In steady state it allocates nothing.</summary>
/// <param name="structures">Which unit types are structures; asked for when the first events are read.</param>
internal sealed class UnitEventTracker(Func<StructureTypes> structures)
{
    /// <summary>A first frame before this game loop (10 s) is the start of a match: nothing can have been built or hidden before. One that
    /// is later joins late: its units are not created when they come back.</summary>
    public const uint LateGameLoop = 224;

    /// <summary>Buffs of workers that carry minerals, rich minerals or gas (of any race): a new worker carries nothing.</summary>
    private const uint FirstCarryingBuff = 271, LastCarryingBuff = 275;

    /// <summary>No match has as many units. Beyond it a unit that comes back counts as created.</summary>
    private const int MaxSeen = 1 << 20;

    private readonly List<UnitEvent> _events = [];
    private readonly HashSet<ulong> _created = [];
    private readonly HashSet<ulong> _dead = [];
    private readonly OnceLists _lists = new();
    private TrackedUnits _now = new();
    private TrackedUnits _before = new();
    private List<uint> _upgrades = [];
    private bool[] _isStill = [];
    private bool _isLate;
    private StructureTypes? _structures;
    private string _matchId = "";
    private string _runId = "";
    private uint _gameLoop;
    private ulong _sequence;

    /// <summary>Whether the events of a frame were read.</summary>
    public bool HasBegun { get; private set; }

    /// <summary>The events between the last frame that was given to this and a frame, which may be the same.</summary>
    public IReadOnlyList<UnitEvent> Read(GameFrame frame)
    {
        // The table of structures is that of a match.
        var isOtherMatch = frame.MatchId != _matchId || frame.RunId != _runId;
        if (HasBegun && frame.Sequence == _sequence && !isOtherMatch && frame.GameLoop == _gameLoop) return _events;
        if (isOtherMatch) _structures = null;
        _events.Clear();
        // A playback that goes back, or another match: nothing can be compared.
        var isFirst = !HasBegun || isOtherMatch || frame.GameLoop < _gameLoop;
        (HasBegun, _sequence, _matchId, _gameLoop) = (true, frame.Sequence, frame.MatchId, frame.GameLoop);
        _runId = frame.RunId;
        _now.Set(frame.Units, _structures ??= structures());
        ReadLists(frame);
        if (isFirst) Begin(frame.Units);
        else Compare(frame.Units);
        (_before, _now) = (_now, _before);
        _upgrades.Clear();
        _upgrades.AddRange(_lists.Upgrades);
        return _events;
    }

    private void ReadLists(GameFrame frame)
    {
        _lists.Clear();
        if (frame.State.Content.SkippedEvents is { } skipped) _lists.Add(skipped.Span);
        // Those of skipped frames are not the upgrades of now.
        _lists.Upgrades.Clear();
        _lists.Add(frame.State.Content.RestBytes.Span);
    }

    private void Begin(UnitColumns units)
    {
        _created.Clear();
        _isLate = _gameLoop >= LateGameLoop;
        if (!_isLate) return;
        var passengers = units.Passengers;
        for (var row = 0; row < _now.Count; row++)
        {
            if (_now.Classes[row] == UnitClass.OwnUnit) _created.Add(_now.Tags[row]);
            if (units.Alliance[row] != Alliance.Self) continue;
            foreach (var tag in passengers.Tag[passengers.Of(row)]) _created.Add(tag);
        }
    }

    private void Compare(UnitColumns units)
    {
        if (_isStill.Length < _before.Count) _isStill = new bool[Math.Max(_before.Count, 2 * _isStill.Length)];
        _isStill.AsSpan(0, _before.Count).Clear();
        AddDestroyed();
        AddUnits(units);
        AddStructures();
        AddUpgrades();
        AddEntered(UnitClass.EnemyUnit);
        AddEntered(UnitClass.EnemyStructure);
        AddLeft(UnitClass.EnemyUnit);
        AddLeft(UnitClass.EnemyStructure);
        foreach (var alert in _lists.Alerts) _events.Add(new UnitEvent { Kind = UnitEventKind.Alert, Row = -1, Alert = (Alert)alert });
    }

    private void AddDestroyed()
    {
        _dead.Clear();
        foreach (var tag in _lists.DeadUnits)
        {
            if (_before.HasAny(tag) && _dead.Add(tag)) _events.Add(UnitEvent.Of(UnitEventKind.UnitDestroyed, tag, _now.Tags.IndexOf(tag)));
        }
    }

    private void AddUnits(UnitColumns units)
    {
        var classes = _now.Classes;
        var tags = _now.Tags;
        for (var row = 0; row < classes.Length; row++)
        {
            if (classes[row] != UnitClass.OwnUnit) continue;
            var before = _before.Find(tags[row], UnitClass.OwnUnit);
            if (before >= 0) AddChanges(row, before);
            else if (_created.Add(tags[row]) && !(_isLate && Carries(units[row])))
                _events.Add(UnitEvent.Of(UnitEventKind.UnitCreated, tags[row], row));
        }
        if (_created.Count > MaxSeen) _created.Clear();
    }

    private void AddUpgrades()
    {
        _lists.Upgrades.Sort();
        for (var i = 0; i < _lists.Upgrades.Count; i++)
        {
            var upgrade = _lists.Upgrades[i];
            if (_upgrades.Contains(upgrade) || (i > 0 && _lists.Upgrades[i - 1] == upgrade)) continue;
            _events.Add(new UnitEvent { Kind = UnitEventKind.UpgradeComplete, Row = -1, UpgradeId = upgrade });
        }
    }

    private static bool Carries(UnitView unit)
    {
        foreach (var buff in unit.Buffs)
        {
            if (buff is >= FirstCarryingBuff and <= LastCarryingBuff) return true;
        }
        return false;
    }

    private void AddStructures()
    {
        var classes = _now.Classes;
        var tags = _now.Tags;
        var progress = _now.Progress;
        for (var row = 0; row < classes.Length; row++)
        {
            if (classes[row] != UnitClass.OwnStructure) continue;
            var before = _before.Find(tags[row], UnitClass.OwnStructure);
            if (before < 0)
            {
                var kind = progress[row] < 1
                    ? UnitEventKind.BuildingConstructionStarted
                    : UnitEventKind.BuildingConstructionComplete;
                _events.Add(UnitEvent.Of(kind, tags[row], row));
                continue;
            }
            AddChanges(row, before);
            if (progress[row] == 1 && _before.Progress[before] < 1)
                _events.Add(UnitEvent.Of(UnitEventKind.BuildingConstructionComplete, tags[row], row));
        }
    }

    private void AddChanges(int row, int before)
    {
        var (health, shield) = (_now.Health[row], _now.Shield[row]);
        var (healthBefore, shieldBefore) = (_before.Health[before], _before.Shield[before]);
        if (health < healthBefore || shield < shieldBefore)
        {
            // The order of the operations matters for the last bits.
            var amount = (double)healthBefore - health + shieldBefore - shield;
            _events.Add(UnitEvent.Of(UnitEventKind.UnitTookDamage, _now.Tags[row], row) with { Amount = amount });
        }
        if (_now.Types[row] == _before.Types[before]) return;
        _events.Add(
            UnitEvent.Of(UnitEventKind.UnitTypeChanged, _now.Tags[row], row) with { PreviousType = _before.Types[before] });
    }

    private void AddEntered(UnitClass unitClass)
    {
        var classes = _now.Classes;
        var tags = _now.Tags;
        for (var row = 0; row < classes.Length; row++)
        {
            if (classes[row] != unitClass) continue;
            var before = _before.Find(tags[row], unitClass);
            if (before < 0) _events.Add(UnitEvent.Of(UnitEventKind.EnemyUnitEnteredVision, tags[row], row));
            else _isStill[before] = true;
        }
    }

    private void AddLeft(UnitClass unitClass)
    {
        var classes = _before.Classes;
        var tags = _before.Tags;
        for (var row = 0; row < classes.Length; row++)
        {
            // Of equal tags the last counts.
            if (classes[row] == unitClass && !_isStill[row] && _before.Find(tags[row], unitClass) == row)
                _events.Add(UnitEvent.Of(UnitEventKind.EnemyUnitLeftVision, tags[row], -1));
        }
    }
}
