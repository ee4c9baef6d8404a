using System.Runtime.Intrinsics;
using System.Text;
using Abathur.Protobuf.ProtoJson.Text;
using Abathur.Protobuf.Wire;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>The properties of a field, for both directions.</summary>
internal sealed class FieldTable
{
    /// <summary>Bytes of <see cref="ShortCommaName"/>.</summary>
    public const int ShortName = 32;

    /// <summary>The first bytes of <see cref="CommaName"/>, to be copied at once; zeros after its end.</summary>
    public readonly Vector256<byte> ShortCommaName;

    /// <summary>The first bytes of <see cref="NameColon"/>, to be compared at once; zeros after its end.</summary>
    public readonly Vector256<byte> ShortNameColon;

    /// <summary>Bit mask of the valid bytes of <see cref="ShortNameColon"/>.</summary>
    public readonly Vector256<byte> ShortNameMask;

    public FieldTable(FieldDescriptor field, int index, bool isBare)
    {
        Index = index;
        Number = field.FieldNumber;
        IsBare = isBare;
        Name = field.JsonName;
        Kind = KindOf(field.FieldType);
        IsRepeated = field.IsRepeated && !field.IsMap;
        IsMap = field.IsMap;
        HasPresence = field.HasPresence;
        Oneof = field.RealContainingOneof is { } oneof ? oneof.Index : -1;
        OneofBit = Oneof is < 0 or >= MessageTable.FewOneofs ? 0 : 1UL << Oneof;
        OneofName = field.RealContainingOneof?.Name ?? "";
        WireType = WireTypeOf(Kind);
        Tag = WireFormat.MakeTag(field.FieldNumber, WireType);
        PackedTag = IsRepeated && WireType is not (WireFormat.WireType.LengthDelimited or WireFormat.WireType.StartGroup)
            ? WireFormat.MakeTag(field.FieldNumber, WireFormat.WireType.LengthDelimited)
            : 0;
        IsPacked = PackedTag != 0 && field.IsPacked;
        TagBytes = Bytes(IsPacked ? PackedTag : Tag);
        TagLength = TagBytes.Length;
        for (var i = 0; i < TagBytes.Length; i++) TagNumber |= (ulong)TagBytes[i] << (8 * i);
        EndTagBytes = Kind == FieldKind.Group ? Bytes(WireFormat.MakeTag(field.FieldNumber, WireFormat.WireType.EndGroup)) : [];
        CommaName = Encoding.UTF8.GetBytes($",\"{Escape(field.JsonName)}\":");
        Span<byte> padded = stackalloc byte[ShortName];
        CommaName.AsSpan(0, Math.Min(CommaName.Length, ShortName)).CopyTo(padded);
        ShortCommaName = Vector256.Create<byte>(padded);
        CommaNameBytes = CommaName.Length;
        padded.Clear();
        NameColon[..Math.Min(NameColon.Length, ShortName)].CopyTo(padded);
        ShortNameColon = Vector256.Create<byte>(padded);
        ShortNameMask = ~Vector256.Equals(ShortNameColon, Vector256<byte>.Zero);
        IsUsual = !IsRepeated
            && !IsMap
            && HasPresence
            && NameColon.Length <= ShortName
            && TagBytes.Length <= 2
            && Oneof < MessageTable.FewOneofs;
    }

    /// <summary>Index among the fields of the message, ordered by number, from 0.</summary>
    public int Index { get; }

    public int Number { get; }

    /// <summary>Whether the JSON of its message is the JSON of this field, so that it has no name.</summary>
    public bool IsBare { get; }

    /// <summary>Name in JSON.</summary>
    public string Name { get; }

    public FieldKind Kind { get; }

    public WireFormat.WireType WireType { get; }

    /// <summary>Whether it is repeated and not a map.</summary>
    public bool IsRepeated { get; }

    public bool IsMap { get; }

    /// <summary>Whether a value that equals the default differs from an absent value.</summary>
    public bool HasPresence { get; }

    /// <summary>Number of its oneof in the message; -1 if it is not in a oneof. The synthetic oneof of a proto3
    /// <c>optional</c> does not count.</summary>
    public int Oneof { get; }

    public string OneofName { get; }

    /// <summary>Bit of its oneof, if it is one of the first 64; otherwise 0.</summary>
    public ulong OneofBit { get; }

    /// <summary>The tag before a value that is not packed.</summary>
    public uint Tag { get; }

    /// <summary>The tag before packed values; 0 if they cannot be packed.</summary>
    public uint PackedTag { get; }

    /// <summary>Whether it is written packed. Both forms are read.</summary>
    public bool IsPacked { get; }

    /// <summary>The tag for writing, encoded.</summary>
    public byte[] TagBytes { get; }

    /// <summary>Length of <see cref="TagBytes"/>.</summary>
    public int TagLength { get; }

    /// <summary>The last enum value: a guess, set by any thread.</summary>
    public EnumToken? EnumGuess { get; set; }

    /// <summary>The same as a little-endian number.</summary>
    public ulong TagNumber { get; }

    /// <summary>The tag that ends a group, encoded.</summary>
    public byte[] EndTagBytes { get; }

    /// <summary><c>,"name":</c></summary>
    public byte[] CommaName { get; }

    /// <summary>Length of <see cref="CommaName"/>.</summary>
    public int CommaNameBytes { get; }

    /// <summary>Whether it is singular with presence, name and tag are of usual length, and its oneof, if any, has a bit.</summary>
    public bool IsUsual { get; }

    /// <summary>Type of a message, a group, or a map's entries.</summary>
    public MessageTable? Message { get; set; }

    public EnumTable? Enum { get; set; }

    /// <summary>The field that followed this one last time: a guess, set by any thread.</summary>
    public FieldTable? Successor { get; set; }

    /// <summary>Bytes of this field's length last time: a guess, set by any thread.</summary>
    public int LengthBytesGuess { get; set; } = 1;

    /// <summary><c>"name":</c></summary>
    public ReadOnlySpan<byte> NameColon => CommaName.AsSpan(1);

    /// <summary>Whether JSON <c>null</c> is a value of the field rather than its absence.</summary>
    public bool TakesNull => Message is { WellKnown: WellKnown.Value } || Enum is { IsNullValue: true };

    // The bytes before a value of the field or, if packed, before all values.
    private static byte[] Bytes(uint tag)
    {
        Span<byte> bytes = stackalloc byte[Varint.MaxBytes];
        return bytes[..Varint.Write(bytes, tag)].ToArray();
    }

    // A json_name option may have any characters, so it is escaped like all strings.
    private static string Escape(string name)
    {
        var utf8 = Encoding.UTF8.GetBytes(name);
        var escaped = new byte[utf8.Length * JsonEscape.MaxBytes];
        return Encoding.UTF8.GetString(escaped, 0, JsonEscape.Write(utf8, escaped));
    }

    private static FieldKind KindOf(FieldType type) => type switch
    {
        FieldType.Double => FieldKind.Double,
        FieldType.Float => FieldKind.Float,
        FieldType.Int32 => FieldKind.Int32,
        FieldType.Int64 => FieldKind.Int64,
        FieldType.UInt32 => FieldKind.UInt32,
        FieldType.UInt64 => FieldKind.UInt64,
        FieldType.SInt32 => FieldKind.SInt32,
        FieldType.SInt64 => FieldKind.SInt64,
        FieldType.Fixed32 => FieldKind.Fixed32,
        FieldType.Fixed64 => FieldKind.Fixed64,
        FieldType.SFixed32 => FieldKind.SFixed32,
        FieldType.SFixed64 => FieldKind.SFixed64,
        FieldType.Bool => FieldKind.Bool,
        FieldType.Enum => FieldKind.Enum,
        FieldType.String => FieldKind.String,
        FieldType.Bytes => FieldKind.Bytes,
        FieldType.Message => FieldKind.Message,
        FieldType.Group => FieldKind.Group,
        _ => throw new ArgumentOutOfRangeException(nameof(type), type, "unknown field type"),
    };

    private static WireFormat.WireType WireTypeOf(FieldKind kind) => kind switch
    {
        FieldKind.Double or FieldKind.Fixed64 or FieldKind.SFixed64 => WireFormat.WireType.Fixed64,
        FieldKind.Float or FieldKind.Fixed32 or FieldKind.SFixed32 => WireFormat.WireType.Fixed32,
        FieldKind.String or FieldKind.Bytes or FieldKind.Message => WireFormat.WireType.LengthDelimited,
        FieldKind.Group => WireFormat.WireType.StartGroup,
        _ => WireFormat.WireType.Varint,
    };
}
