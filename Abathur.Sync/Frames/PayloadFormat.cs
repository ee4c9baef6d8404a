using Abathur.Sync.V1;

namespace Abathur.Sync.Frames;

/// <summary>What a payload is written in.</summary>
/// <param name="Encoding">Encoding before compression.</param>
/// <param name="Compression">Compression of the encoded bytes.</param>
public readonly record struct PayloadFormat(Encoding Encoding, Compression Compression = Compression.None)
{
    /// <summary>Whether the payload is an observation in protobuf as it stands, and so a typed field of the frame.</summary>
    public bool IsObservation => this is { Encoding: Encoding.Proto, Compression: Compression.None };

    /// <summary>E.g. "json" or "proto+zstd".</summary>
    public override string ToString() =>
        Compression == Compression.None ? Name(Encoding) : $"{Name(Encoding)}+{Name(Compression)}";

    private static string Name<T>(T value) where T : struct, Enum => value.ToString().ToLowerInvariant();
}
