using System.Text;
using Google.Protobuf.Reflection;

namespace Abathur.Sync.Encodings.ProtoJson.Schema;

/// <summary>The names of an enum, both ways. Of aliases the one declared first is written, and all are read.</summary>
internal sealed class EnumTable
{
    private const int MaxDense = 1 << 12;
    private readonly byte[]?[] _dense;
    private readonly Dictionary<int, byte[]> _sparse = [];
    private readonly Utf8Names<EnumValueDescriptor> _numbers;

    public EnumTable(EnumDescriptor type)
    {
        FullName = type.FullName;
        IsNullValue = type.FullName == "google.protobuf.NullValue";
        var values = type.Values;
        _dense = new byte[]?[1 + Math.Max(0, values.Where(value => value.Number < MaxDense).Select(value => value.Number).DefaultIfEmpty().Max())];
        foreach (var value in values.Reverse())
        {
            var token = Encoding.UTF8.GetBytes($"\"{value.Name}\"");
            if ((uint)value.Number < (uint)_dense.Length) _dense[value.Number] = token;
            else _sparse[value.Number] = token;
        }
        _numbers = new Utf8Names<EnumValueDescriptor>([.. values.Select(value => KeyValuePair.Create(value.Name, value))]);
        LongestName = values.Max(value => value.Name.Length);
    }

    public string FullName { get; }

    /// <summary>Whether this is <c>google.protobuf.NullValue</c>, which is written as <c>null</c>.</summary>
    public bool IsNullValue { get; }

    public int LongestName { get; }

    /// <summary>The name of a value in quotes; null where the enum has no such value.</summary>
    public byte[]? Token(int number)
    {
        if ((uint)number < (uint)_dense.Length) return _dense[number];
        return _sparse.Count == 0 ? null : _sparse.GetValueOrDefault(number);
    }

    public bool TryFind(ReadOnlySpan<byte> name, out int number)
    {
        var value = _numbers.Find(name);
        number = value?.Number ?? 0;
        return value is not null;
    }
}
