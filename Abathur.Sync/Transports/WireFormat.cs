namespace Abathur.Sync.Transports;

/// <summary>How a connection writes its messages.</summary>
public enum WireFormat
{
    /// <summary>In protobuf, whatever the encoding of the observations in them.</summary>
    Protobuf,

    /// <summary>In ProtoJSON where the encoding is <c>json</c>, else in protobuf.</summary>
    ByEncoding,

    /// <summary>In ProtoJSON, always.</summary>
    Json,
}
