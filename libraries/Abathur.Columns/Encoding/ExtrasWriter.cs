using Abathur.Columns.Tables;
using Abathur.Protobuf.Wire;

namespace Abathur.Columns.Encoding;

/// <summary>Collects the fields that have no column in the blob <c>extras</c>.</summary>
internal sealed class ExtrasWriter
{
    private readonly GrowingList<(ulong Place, int Order, ExtraFragment Fragment)> _fragments = new();
    private readonly WireWriter _fields = new();
    private readonly PayloadWriter _blob = new();

    public void Begin() => _fragments.Truncate(0);

    /// <summary>Adds a field of a message that has this row.</summary>
    public void Add(int row, in ExtraFragment fragment)
    {
        if (fragment.Length > 0) _fragments.Add((((ulong)fragment.Table << 32) | (uint)row, _fragments.Count, fragment));
    }

    /// <summary>The blob.</summary>
    public ReadOnlySpan<byte> Write(ReadOnlySpan<byte> observation)
    {
        _blob.Clear();
        if (_fragments.Count == 0) return [];
        _fragments.Span.Sort(static (a, b) => a.Place != b.Place ? a.Place.CompareTo(b.Place) : a.Order.CompareTo(b.Order));
        for (var i = 0; i < _fragments.Count;)
        {
            var place = _fragments[i].Place;
            _fields.Clear();
            for (; i < _fragments.Count && _fragments[i].Place == place; i++)
            {
                ref var fragment = ref _fragments[i].Fragment;
                var bytes = observation.Slice(fragment.Start, fragment.Length);
                if (fragment.PointField == 0) _fields.Write(bytes);
                else _fields.WriteBytes(fragment.PointField, bytes);
            }
            _blob.WriteByte((byte)(place >> 32));
            _blob.WriteUInt32((int)(uint)place);
            _blob.WriteUInt32(_fields.Length);
            _blob.Write(_fields.WrittenSpan);
        }
        return _blob.Written;
    }
}
