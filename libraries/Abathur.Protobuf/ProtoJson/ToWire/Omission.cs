namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>Which values are not written, as Google's serializer has it.</summary>
internal enum Omission
{
    /// <summary>All are written: the field has presence, or is an element.</summary>
    None,

    /// <summary>A default is omitted, minus zero too.</summary>
    Default,

    /// <summary>A default is omitted, but not minus zero: in entries of maps and in wrappers.</summary>
    ExactDefault,
}
