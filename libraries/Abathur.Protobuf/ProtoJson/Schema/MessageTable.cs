namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>What both directions need to know of one message type.</summary>
internal sealed class MessageTable(string fullName, WellKnown wellKnown, bool isValueInAny)
{
    /// <summary>Oneofs that have a bit in <see cref="FieldTable.OneofBit"/>.</summary>
    public const int FewOneofs = 64;

    private const int MaxDenseTag = 1 << 12;
    private FieldTable?[] _byTag = [];
    private readonly Dictionary<uint, FieldTable> _byLargeTag = [];
    private Utf8Names<FieldTable> _byName = new([]);

    public string FullName { get; } = fullName;

    public WellKnown WellKnown { get; } = wellKnown;

    /// <summary>Whether an Any holds it in a member <c>value</c> rather than its fields beside <c>@type</c>.</summary>
    public bool IsValueInAny { get; } = isValueInAny;

    /// <summary>In order of their numbers.</summary>
    public FieldTable[] Fields { get; private set; } = [];

    /// <summary>The field that came first last time: a guess, set by any thread.</summary>
    public FieldTable? FirstGuess { get; set; }

    /// <summary>How many oneofs it has; those made up for a proto3 <c>optional</c> do not count.</summary>
    public int Oneofs { get; private set; }

    /// <summary>Whether one bit each is enough to tell the oneofs seen.</summary>
    public bool HasFewOneofs => Oneofs <= FewOneofs;

    /// <summary>
    /// A bound on the JSON bytes for each byte on the wire, in this message and all that it may hold. 0: there is none, because it may hold an Any or has very long names.
    /// </summary>
    public int MaxExpansion { get; set; }

    /// <summary>Whether it has an object with its fields for JSON, all of which keep their presence, and neither maps nor groups.</summary>
    public bool IsPlain { get; private set; }

    /// <summary>Fields are set after the table is made, because types may hold themselves.</summary>
    public void SetFields(FieldTable[] fields, IEnumerable<KeyValuePair<string, FieldTable>> names, int oneofs)
    {
        Fields = fields;
        Oneofs = oneofs;
        _byName = new Utf8Names<FieldTable>([.. names]);
        var tags = fields.SelectMany(field => field.PackedTag == 0 ? new[] { (field.Tag, field) } : [(field.Tag, field), (field.PackedTag, field)]).ToList();
        _byTag = new FieldTable?[tags.Where(each => each.Item1 < MaxDenseTag).Select(each => each.Item1 + 1).DefaultIfEmpty(0u).Max()];
        foreach (var (tag, field) in tags)
        {
            if (tag < _byTag.Length) _byTag[tag] = field;
            else _byLargeTag[tag] = field;
        }
        FirstGuess = fields.FirstOrDefault();
        IsPlain = WellKnown == WellKnown.None && HasFewOneofs && fields.All(field => (field.HasPresence || field.IsRepeated) && field.Kind != FieldKind.Group);
    }

    /// <summary>The field that a tag announces; null where the type has none with this number and wire type.</summary>
    public FieldTable? Find(uint tag)
    {
        var dense = _byTag;
        if (tag < (uint)dense.Length) return dense[tag];
        return _byLargeTag.Count == 0 ? null : _byLargeTag.GetValueOrDefault(tag);
    }

    /// <summary>The field with a name, as in JSON or as in the .proto file.</summary>
    public FieldTable? Find(ReadOnlySpan<byte> name) => _byName.Find(name);
}
