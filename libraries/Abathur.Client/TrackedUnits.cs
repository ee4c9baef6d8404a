using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>What events need of the units of one frame. Keeps its memory.</summary>
internal sealed class TrackedUnits
{
    private const uint ForceField = 135, ParasiticBombDummy = 824, Kd8Charge = 830;

    private readonly TagIndex[] _byClass = [new(), new(), new(), new()];
    private readonly bool[] _isIndexed = new bool[4];
    private ulong[] _tags = [];
    private uint[] _types = [];
    private float[] _health = [];
    private float[] _shield = [];
    private float[] _progress = [];
    private UnitClass[] _classes = [];

    /// <summary>Number of units, those without events included.</summary>
    public int Count { get; private set; }

    public ReadOnlySpan<ulong> Tags => _tags.AsSpan(0, Count);

    public ReadOnlySpan<uint> Types => _types.AsSpan(0, Count);

    public ReadOnlySpan<float> Health => _health.AsSpan(0, Count);

    public ReadOnlySpan<float> Shield => _shield.AsSpan(0, Count);

    public ReadOnlySpan<float> Progress => _progress.AsSpan(0, Count);

    public ReadOnlySpan<UnitClass> Classes => _classes.AsSpan(0, Count);

    /// <summary>Takes the units of a frame.</summary>
    public void Set(UnitColumns units, StructureTypes structures)
    {
        Count = units.Count;
        if (_tags.Length < Count) Grow();
        units.Tag.CopyTo(_tags);
        units.UnitType.CopyTo(_types);
        units.Health.CopyTo(_health);
        units.Shield.CopyTo(_shield);
        units.BuildProgress.CopyTo(_progress);
        var alliances = units.Alliance;
        var displays = units.DisplayType;
        var blips = units.IsBlip;
        for (var i = 0; i < Count; i++) _classes[i] = ClassOf(_types[i], alliances[i], displays[i], blips[i], structures);
        _isIndexed.AsSpan().Clear();
    }

    /// <summary>The row of a unit of a class; -1 if no row has it. Of equal tags the last counts.</summary>
    public int Find(ulong tag, UnitClass unitClass)
    {
        var index = _byClass[(int)unitClass];
        if (!_isIndexed[(int)unitClass])
        {
            _isIndexed[(int)unitClass] = true;
            index.Clear(Count);
            for (var row = 0; row < Count; row++)
            {
                if (_classes[row] == unitClass) index.Set(_tags[row], row);
            }
        }
        return index.Find(tag);
    }

    /// <summary>Whether a unit with the tag has events, in any class.</summary>
    public bool HasAny(ulong tag)
    {
        for (var from = 0; Tags[from..].IndexOf(tag) is var found and >= 0; from += found + 1)
        {
            if (_classes[from + found] != UnitClass.None) return true;
        }
        return false;
    }

    private static UnitClass ClassOf(uint type, Alliance alliance, DisplayType display, bool isBlip, StructureTypes structures)
    {
        if (isBlip || type is ForceField or ParasiticBombDummy or Kd8Charge) return UnitClass.None;
        if (display == DisplayType.Placeholder) return UnitClass.Other;
        return alliance switch
        {
            Alliance.Self => structures.Contains(type) ? UnitClass.OwnStructure : UnitClass.OwnUnit,
            Alliance.Enemy => structures.Contains(type) ? UnitClass.EnemyStructure : UnitClass.EnemyUnit,
            _ => UnitClass.Other,
        };
    }

    private void Grow()
    {
        var size = Math.Max(Count, 2 * _tags.Length);
        (_tags, _types, _health) = (new ulong[size], new uint[size], new float[size]);
        (_shield, _progress, _classes) = (new float[size], new float[size], new UnitClass[size]);
    }
}
