using SC2APIProtocol;

namespace Abathur.Sync.Matches.History;

/// <summary>
/// The units of a match that were seen and are not known to be dead: own ones, and those of enemies. A structure that the observation does
/// not show any more is gone; another enemy unit may only be out of sight. Not thread-safe.
/// </summary>
internal sealed class KnownUnits
{
    /// <summary>Units that are kept at most. Armies have 200 at a time; further ones are not added.</summary>
    public const int MaxUnits = 4096;

    private readonly Dictionary<ulong, KnownUnit> _units = [];
    private readonly List<ulong> _gone = [];
    private int _row;

    /// <summary>All of them.</summary>
    public IReadOnlyCollection<KnownUnit> All => _units.Values;

    /// <summary>Updates them from an observation.</summary>
    /// <param name="units">Its units.</param>
    /// <param name="kinds">The unit types.</param>
    /// <param name="added">Called with the tag and each unit that was not known.</param>
    public void Update(IEnumerable<Unit> units, UnitKinds kinds, Action<ulong, KnownUnit> added)
    {
        _row++;
        foreach (var unit in units)
        {
            if (unit.Alliance is not (Alliance.Self or Alliance.Enemy) || unit.DisplayType == DisplayType.Placeholder) continue;
            var isNew = !_units.ContainsKey(unit.Tag);
            if (isNew && _units.Count == MaxUnits) continue;
            var known = new KnownUnit(
                unit.UnitType, kinds[unit.UnitType], unit.Alliance == Alliance.Enemy, unit.Pos?.X ?? 0, unit.Pos?.Y ?? 0, _row);
            _units[unit.Tag] = known;
            if (isNew) added(unit.Tag, known);
        }
        _gone.Clear();
        foreach (var (tag, unit) in _units)
        {
            // Own units that are not shown are in others, or have become others.
            if (unit.Row != _row && (!unit.IsEnemy || unit.Kind.IsStructure)) _gone.Add(tag);
        }
        foreach (var tag in _gone) _units.Remove(tag);
    }

    /// <summary>Removes a dead unit; null if it was not known.</summary>
    public KnownUnit? Remove(ulong tag) => _units.Remove(tag, out var unit) ? unit : null;

    /// <summary>Forgets all.</summary>
    public void Clear() => _units.Clear();
}

/// <summary>A known unit.</summary>
/// <param name="Type">Its type.</param>
/// <param name="Kind">The kind of its type.</param>
/// <param name="IsEnemy">Whether it is an enemy's; else it is the player's own.</param>
/// <param name="X">Where it was seen last, in cells.</param>
/// <param name="Y">The same.</param>
/// <param name="Row">Row of the timeline at which it was seen last.</param>
internal sealed record KnownUnit(uint Type, UnitKind Kind, bool IsEnemy, float X, float Y, int Row);
