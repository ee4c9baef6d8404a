using Abathur.Compression;

namespace Abathur.Sync.Frames.Encodings;

/// <summary>Maps the compressions of the protocol to those of the library.</summary>
public static class CompressionNames
{
    /// <summary>The compression that a value of the protocol names; null for none and for unknown values.</summary>
    public static CompressionKind? Kind(this V1.Compression compression) =>
        (CompressionKind?)compression.PayloadKind() ?? compression.StreamKind();

    /// <summary>The compression of single payloads that a value of the protocol names; null for any other value.</summary>
    public static PayloadCompression? PayloadKind(this V1.Compression compression) => compression switch
    {
        V1.Compression.Gzip => PayloadCompression.Gzip,
        V1.Compression.Br => PayloadCompression.Brotli,
        V1.Compression.Zstd => PayloadCompression.Zstd,
        _ => null,
    };

    /// <summary>The compression of streams that a value of the protocol names; null for any other value.</summary>
    public static StreamCompression? StreamKind(this V1.Compression compression) => compression switch
    {
        V1.Compression.ZstdStream => StreamCompression.Zstd,
        V1.Compression.BrStream => StreamCompression.Brotli,
        _ => null,
    };
}
