using System.Buffers.Binary;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Columns.Arrays;

/// <summary>A field of all units, as Apache Arrow stores a column.</summary>
public sealed class UnitArray
{
    private byte[] _values = [];
    private int _rows;

    internal UnitArray(string name, UnitArrayType type) => (Name, Type) = (name, type);

    /// <summary>Name of the field: <c>health</c>; <c>x</c>, <c>y</c> and <c>z</c> for the position.</summary>
    public string Name { get; }

    /// <summary>Type of its values.</summary>
    public UnitArrayType Type { get; }

    /// <summary>The values, one for each unit. Valid until units are added or removed.</summary>
    public ReadOnlyMemory<byte> Values => _values.AsMemory(0, BytesOf(_rows));

    internal WireFormat.WireType WireType => Type == UnitArrayType.Real32 ? WireFormat.WireType.Fixed32 : WireFormat.WireType.Varint;

    /// <summary>Makes room for this number of values.</summary>
    internal void Reserve(int rows) => Array.Resize(ref _values, BytesOf(rows));

    /// <summary>Sets the number of values, for which there is room; those that are removed become 0.</summary>
    internal void Resize(int rows)
    {
        if (rows < _rows) Clear(rows);
        _rows = rows;
    }

    private void Clear(int rows)
    {
        var end = BytesOf(_rows);
        if (Type == UnitArrayType.Flag && (rows & 7) != 0) _values[rows >> 3] &= (byte)((1 << (rows & 7)) - 1);
        var start = BytesOf(rows);
        _values.AsSpan(start, end - start).Clear();
    }

    /// <summary>Reads a value, which must have the <see cref="WireType"/>.</summary>
    internal void Read(int row, ref WireReader reader)
    {
        switch (Type)
        {
            case UnitArrayType.Real32:
                BinaryPrimitives.WriteUInt32LittleEndian(_values.AsSpan(row * sizeof(uint)), reader.ReadFixed32());
                break;
            case UnitArrayType.Unsigned64:
                BinaryPrimitives.WriteUInt64LittleEndian(_values.AsSpan(row * sizeof(ulong)), reader.ReadVarint());
                break;
            case UnitArrayType.Signed8:
                _values[row] = (byte)reader.ReadVarint();
                break;
            case UnitArrayType.Flag:
                var bit = 1 << (row & 7);
                _values[row >> 3] = (byte)(reader.ReadVarint() != 0 ? _values[row >> 3] | bit : _values[row >> 3] & ~bit);
                break;
            default:
                BinaryPrimitives.WriteUInt32LittleEndian(_values.AsSpan(row * sizeof(uint)), (uint)reader.ReadVarint());
                break;
        }
    }

    /// <summary>Sets a value of a <see cref="UnitArrayType.Signed8"/>.</summary>
    internal void Set(int row, sbyte value) => _values[row] = (byte)value;

    private int BytesOf(int rows) => Type switch
    {
        UnitArrayType.Flag => (rows + 7) / 8,
        UnitArrayType.Signed8 => rows,
        UnitArrayType.Unsigned64 => rows * sizeof(ulong),
        _ => rows * sizeof(uint),
    };
}
