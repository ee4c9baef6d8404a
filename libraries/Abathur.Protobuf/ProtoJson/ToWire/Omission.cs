namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>Which values are not written, as in Google's serializer.</summary>
internal enum Omission
{
    /// <summary>All are written: the field has presence, or is an element.</summary>
    None,

    /// <summary>A default is omitted, including minus zero.</summary>
    Default,

    /// <summary>A default is omitted, but not minus zero: in entries of maps and in wrappers.</summary>
    ExactDefault,
}
