namespace Abathur.Protobuf.ProtoJson;

/// <summary>Why an input was refused.</summary>
public enum ProtoJsonError
{
    /// <summary>It is not protobuf, not JSON, or not of the message's type.</summary>
    Malformed,

    /// <summary>The message is well formed, but JSON has no form for it: a timestamp out of range, an Any of an unknown type.</summary>
    NoJsonForm,

    /// <summary>It is larger or nested deeper than the options allow.</summary>
    LimitExceeded,
}
