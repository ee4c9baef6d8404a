using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>Some of the units of a frame, for <c>foreach</c>. Valid until the next frame.</summary>
public readonly ref struct UnitQuery
{
    private readonly UnitColumns _units;
    private readonly Alliance? _alliance;
    private readonly uint? _unitType;
    private readonly ReadOnlySpan<uint> _unitTypes;
    private readonly bool _hasTypes;

    internal UnitQuery(UnitColumns units, Alliance? alliance, uint? unitType) =>
        (_units, _alliance, _unitType) = (units, alliance, unitType);

    internal UnitQuery(UnitColumns units, Alliance? alliance, ReadOnlySpan<uint> unitTypes)
    {
        (_units, _alliance, _hasTypes) = (units, alliance, true);
        _unitTypes = unitTypes;
    }

    /// <summary>Number of units.</summary>
    public int Count()
    {
        var count = 0;
        foreach (var _ in this) count++;
        return count;
    }

    /// <summary>The first of them; null if no unit matches.</summary>
    public UnitView? First()
    {
        foreach (var unit in this) return unit;
        return null;
    }

    /// <summary>For <c>foreach</c>.</summary>
    public Enumerator GetEnumerator() => new(this);

    private bool Matches(ReadOnlySpan<Alliance> alliances, ReadOnlySpan<uint> types, int row) =>
        (_alliance is null || alliances[row] == _alliance) && (_unitType is null || types[row] == _unitType)
        && (!_hasTypes || _unitTypes.Contains(types[row]));

    /// <summary>Goes through the units.</summary>
    public ref struct Enumerator
    {
        private readonly UnitQuery _query;
        private readonly ReadOnlySpan<Alliance> _alliances;
        private readonly ReadOnlySpan<uint> _types;
        private int _row = -1;

        internal Enumerator(UnitQuery query)
        {
            _query = query;
            _alliances = query._units.Alliance;
            _types = query._units.UnitType;
        }

        /// <summary>The unit.</summary>
        public readonly UnitView Current => new(_query._units, _row);

        /// <summary>Goes to the next unit.</summary>
        public bool MoveNext()
        {
            while (++_row < _types.Length)
            {
                if (_query.Matches(_alliances, _types, _row)) return true;
            }
            return false;
        }
    }
}
