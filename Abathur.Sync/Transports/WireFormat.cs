namespace Abathur.Sync.Transports;

/// <summary>How a connection writes its messages.</summary>
public enum WireFormat
{
    /// <summary>In protobuf, for any encoding of the observations.</summary>
    Protobuf,

    /// <summary>In ProtoJSON if the encoding is <c>json</c>, else in protobuf.</summary>
    ByEncoding,

    /// <summary>In ProtoJSON, always.</summary>
    Json,
}
