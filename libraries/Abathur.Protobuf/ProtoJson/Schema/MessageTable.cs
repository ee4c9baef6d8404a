namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>The properties of a message type, for both directions.</summary>
internal sealed class MessageTable(string fullName, WellKnown wellKnown, bool isValueInAny)
{
    /// <summary>Maximum number of oneofs with a bit in <see cref="FieldTable.OneofBit"/>.</summary>
    public const int FewOneofs = 64;

    private const int MaxDenseTag = 1 << 12;
    private FieldTable?[] _byTag = [];
    private readonly Dictionary<uint, FieldTable> _byLargeTag = [];
    private Utf8Names<FieldTable> _byName = new([]);

    public string FullName { get; } = fullName;

    public WellKnown WellKnown { get; } = wellKnown;

    /// <summary>Whether an Any has it in a member <c>value</c> instead of its fields next to <c>@type</c>.</summary>
    public bool IsValueInAny { get; } = isValueInAny;

    /// <summary>In order of their numbers.</summary>
    public FieldTable[] Fields { get; private set; } = [];

    /// <summary>The first field last time: a guess, set by any thread.</summary>
    public FieldTable? FirstGuess { get; set; }

    /// <summary>Number of oneofs, without the synthetic ones of proto3 <c>optional</c>.</summary>
    public int Oneofs { get; private set; }

    /// <summary>Whether one bit per oneof fits into 64 bits.</summary>
    public bool HasFewOneofs => Oneofs <= FewOneofs;

    /// <summary>
    /// Maximum number of JSON bytes per byte on the wire, in this message and all its submessages. 0: unbounded, because it may contain an
    /// Any or has very long names.
    /// </summary>
    public int MaxExpansion { get; set; }

    /// <summary>Whether its JSON is an object with its fields, all fields have presence, and there are neither maps nor groups.</summary>
    public bool IsPlain { get; private set; }

    /// <summary>Sets the fields. Called after the table is created, because types may be recursive.</summary>
    public void SetFields(FieldTable[] fields, IEnumerable<KeyValuePair<string, FieldTable>> names, int oneofs)
    {
        Fields = fields;
        Oneofs = oneofs;
        _byName = new Utf8Names<FieldTable>([.. names]);
        var tags = fields.SelectMany(
            field => field.PackedTag == 0 ? new[] { (field.Tag, field) } : [(field.Tag, field), (field.PackedTag, field)]).ToList();
        _byTag = new FieldTable?[tags.Where(each => each.Item1 < MaxDenseTag).Select(each => each.Item1 + 1).DefaultIfEmpty(0u).Max()];
        foreach (var (tag, field) in tags)
        {
            if (tag < _byTag.Length) _byTag[tag] = field;
            else _byLargeTag[tag] = field;
        }
        FirstGuess = fields.FirstOrDefault();
        IsPlain = WellKnown == WellKnown.None
            && HasFewOneofs
            && fields.All(field => (field.HasPresence || field.IsRepeated) && field.Kind != FieldKind.Group);
    }

    /// <summary>The field of a tag; null if the type has none with this number and wire type.</summary>
    public FieldTable? Find(uint tag)
    {
        var dense = _byTag;
        if (tag < (uint)dense.Length) return dense[tag];
        return _byLargeTag.Count == 0 ? null : _byLargeTag.GetValueOrDefault(tag);
    }

    /// <summary>The field with a name, as in JSON or as in the .proto file.</summary>
    public FieldTable? Find(ReadOnlySpan<byte> name) => _byName.Find(name);
}
