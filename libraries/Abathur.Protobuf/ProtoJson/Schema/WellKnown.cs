namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>Message types with a special JSON form.</summary>
internal enum WellKnown : byte
{
    None,
    Any,
    Duration,
    FieldMask,
    ListValue,
    Struct,
    Timestamp,
    Value,
    Wrapper,
}
