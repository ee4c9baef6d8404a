namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>Message types with a JSON form of their own.</summary>
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
