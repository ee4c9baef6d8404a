using Abathur.Sync.V1;

namespace Abathur.Sync.Frames;

/// <summary>What a payload is written in.</summary>
/// <param name="Encoding">Encoding before compression.</param>
/// <param name="Compression">Compression of the encoded bytes.</param>
public readonly record struct PayloadFormat(Encoding Encoding, Compression Compression = Compression.None)
{
    /// <summary>Whether the payload is an observation in protobuf as it stands, and so a typed field of the frame.</summary>
    public bool IsObservation => this is { Encoding: Encoding.Proto, Compression: Compression.None };

    /// <summary>Whether payloads may lean on those before them, so that only keyframes decode alone.</summary>
    public bool HasKeyframes => Encoding == Encoding.Columns || Compression is Compression.ZstdStream or Compression.BrStream;

    /// <summary>E.g. "json" or "proto+zstd-stream".</summary>
    public override string ToString() =>
        Compression == Compression.None ? NameOf(Encoding) : $"{NameOf(Encoding)}+{NameOf(Compression)}";

    /// <summary>As agents write it. Nothing is allocated for those that payloads have.</summary>
    public static string NameOf(Encoding encoding) => encoding switch
    {
        Encoding.Proto => "proto",
        Encoding.Json => "json",
        Encoding.Columns => "columns",
        _ => encoding.ToString().ToLowerInvariant(),
    };

    /// <inheritdoc cref="NameOf(Encoding)"/>
    public static string NameOf(Compression compression) => compression switch
    {
        Compression.None => "none",
        Compression.Gzip => "gzip",
        Compression.Br => "br",
        Compression.Zstd => "zstd",
        Compression.ZstdStream => "zstd-stream",
        Compression.BrStream => "br-stream",
        _ => compression.ToString().ToLowerInvariant(),
    };
}
