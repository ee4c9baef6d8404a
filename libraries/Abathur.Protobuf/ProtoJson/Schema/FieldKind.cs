namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>How a field's value is written on the wire and in JSON.</summary>
internal enum FieldKind : byte
{
    Double,
    Float,
    Int32,
    Int64,
    UInt32,
    UInt64,
    SInt32,
    SInt64,
    Fixed32,
    Fixed64,
    SFixed32,
    SFixed64,
    Bool,
    Enum,
    String,
    Bytes,
    Message,
    Group,
}
