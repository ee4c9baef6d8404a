using Abathur.Sync.V1;

namespace Abathur.Sync.Frames;

/// <summary>The format of a payload.</summary>
/// <param name="Encoding">Encoding before compression.</param>
/// <param name="Compression">Compression of the encoded bytes.</param>
public readonly record struct PayloadFormat(Encoding Encoding, V1.Compression Compression = V1.Compression.None)
{
    /// <summary>Whether the payload is an uncompressed observation in protobuf, which is a typed field of the frame.</summary>
    public bool IsObservation => this is { Encoding: Encoding.Proto, Compression: V1.Compression.None };

    /// <summary>Whether payloads may depend on those before them, so that only keyframes decode independently.</summary>
    public bool HasKeyframes => Encoding == Encoding.Columns || Compression is V1.Compression.ZstdStream or V1.Compression.BrStream;

    /// <summary>E.g. "json" or "proto+zstd-stream".</summary>
    public override string ToString() =>
        Compression == V1.Compression.None ? NameOf(Encoding) : $"{NameOf(Encoding)}+{NameOf(Compression)}";

    /// <summary>The name in requests. Allocates nothing for known values.</summary>
    public static string NameOf(Encoding encoding) => encoding switch
    {
        Encoding.Proto => "proto",
        Encoding.Json => "json",
        Encoding.Columns => "columns",
        _ => encoding.ToString().ToLowerInvariant(),
    };

    /// <inheritdoc cref="NameOf(Encoding)"/>
    public static string NameOf(V1.Compression compression) => compression switch
    {
        V1.Compression.None => "none",
        V1.Compression.Gzip => "gzip",
        V1.Compression.Br => "br",
        V1.Compression.Zstd => "zstd",
        V1.Compression.ZstdStream => "zstd-stream",
        V1.Compression.BrStream => "br-stream",
        _ => compression.ToString().ToLowerInvariant(),
    };
}
