using System.Collections;
using Abathur.Columns.Tables;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>Some of the units of a frame, for <c>foreach</c>, which allocates nothing, and for LINQ. Valid as long as the frame.</summary>
public readonly struct UnitQuery : IEnumerable<UnitView>
{
    private readonly UnitColumns _units;
    private readonly Alliance? _alliance;
    private readonly uint? _unitType;
    private readonly uint[]? _unitTypes;

    internal UnitQuery(UnitColumns units, Alliance? alliance, uint? unitType) =>
        (_units, _alliance, _unitType) = (units, alliance, unitType);

    internal UnitQuery(UnitColumns units, Alliance? alliance, uint[] unitTypes)
    {
        ArgumentNullException.ThrowIfNull(unitTypes);
        (_units, _alliance, _unitTypes) = (units, alliance, unitTypes);
    }

    /// <summary>Number of units.</summary>
    public int Count()
    {
        var count = 0;
        foreach (var _ in this) count++;
        return count;
    }

    /// <summary>The first of them.</summary>
    /// <exception cref="InvalidOperationException">No unit matches.</exception>
    public UnitView First() => FirstOrDefault() ?? throw new InvalidOperationException("no unit of the frame matches");

    /// <summary>The first of them; null if no unit matches.</summary>
    public UnitView? FirstOrDefault()
    {
        foreach (var unit in this) return unit;
        return null;
    }

    /// <summary>The one that is next to a point; null if no unit matches.</summary>
    /// <param name="x">x of the point, in map cells.</param>
    /// <param name="y">y of the point, in map cells.</param>
    public UnitView? ClosestTo(float x, float y)
    {
        UnitView? closest = null;
        var least = float.PositiveInfinity;
        foreach (var unit in this)
        {
            var distance = unit.DistanceTo(x, y);
            if (!(distance < least)) continue;
            (closest, least) = (unit, distance);
        }
        return closest;
    }

    /// <summary>For <c>foreach</c>.</summary>
    public Enumerator GetEnumerator() => new(this);

    IEnumerator<UnitView> IEnumerable<UnitView>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Goes through the units.</summary>
    public struct Enumerator : IEnumerator<UnitView>
    {
        private readonly UnitQuery _query;
        private readonly UnitTables _tables;
        private readonly int _version;
        private readonly int[] _alliances;
        private readonly uint[] _types;
        private readonly ulong[] _tags;
        private readonly int _rows;
        private int _row = -1;

        internal Enumerator(UnitQuery query)
        {
            _tables = query._units.Tables;
            var columns = _tables.Units;
            (_query, _version, _rows) = (query, _tables.Version, columns.Rows);
            _alliances = columns.GetArray<int>(UnitColumn.Alliance);
            _types = columns.GetArray<uint>(UnitColumn.UnitType);
            _tags = columns.GetArray<ulong>(UnitColumn.Tag);
        }

        /// <summary>The unit.</summary>
        public readonly UnitView Current => new(_tables, _version, _row, _tags[_row]);

        readonly object IEnumerator.Current => Current;

        /// <summary>Goes to the next unit.</summary>
        public bool MoveNext()
        {
            // The arrays are used again for the next frame.
            if (_tables.Version != _version) throw GameFrame.NotValid(_tables);
            while (++_row < _rows)
            {
                if (_query.Matches(_alliances[_row], _types[_row])) return true;
            }
            return false;
        }

        /// <summary>Goes before the first unit.</summary>
        public void Reset() => _row = -1;

        /// <summary>Does nothing.</summary>
        public readonly void Dispose()
        {
        }
    }

    private bool Matches(int alliance, uint type) =>
        (_alliance is null || alliance == (int)_alliance) && (_unitType is null || type == _unitType)
        && (_unitTypes is null || Array.IndexOf(_unitTypes, type) >= 0);
}
