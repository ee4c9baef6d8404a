using Google.Protobuf.Reflection;

namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>The names of an enum, for reading and writing. Of aliases, the one declared first is written, and all are read.</summary>
internal sealed class EnumTable
{
    private const int MaxDense = 1 << 12;
    private readonly EnumToken?[] _dense;
    private readonly Dictionary<int, EnumToken> _sparse = [];
    private readonly Utf8Names<EnumToken> _names;

    public EnumTable(EnumDescriptor type)
    {
        FullName = type.FullName;
        IsNullValue = type.FullName == "google.protobuf.NullValue";
        var values = type.Values;
        _dense = new EnumToken?[1 + Math.Max(
            0, values.Where(value => value.Number < MaxDense).Select(value => value.Number).DefaultIfEmpty().Max())];
        var names = new List<KeyValuePair<string, EnumToken>>();
        foreach (var value in values.Reverse())
        {
            var token = new EnumToken(value.Name, value.Number);
            names.Add(KeyValuePair.Create(value.Name, token));
            if ((uint)value.Number < (uint)_dense.Length) _dense[value.Number] = token;
            else _sparse[value.Number] = token;
        }
        _names = new Utf8Names<EnumToken>(names);
        LongestName = values.Max(value => value.Name.Length);
    }

    public string FullName { get; }

    /// <summary>Whether this is <c>google.protobuf.NullValue</c>, which is written as <c>null</c>.</summary>
    public bool IsNullValue { get; }

    public int LongestName { get; }

    /// <summary>The name of a value; null if the enum has no such value.</summary>
    public EnumToken? Token(int number)
    {
        if ((uint)number < (uint)_dense.Length) return _dense[number];
        return _sparse.Count == 0 ? null : _sparse.GetValueOrDefault(number);
    }

    /// <summary>The value with a name; null if the enum has no such name.</summary>
    public EnumToken? Find(ReadOnlySpan<byte> name) => _names.Find(name);
}
