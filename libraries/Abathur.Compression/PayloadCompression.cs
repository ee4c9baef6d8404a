namespace Abathur.Compression;

/// <summary>A compression format that compresses each payload independently of the others.</summary>
public sealed record PayloadCompression : CompressionKind
{
    private PayloadCompression(string name, int minLevel, int maxLevel, int defaultLevel, int slowLevel, bool needsLibZstd)
        : base(name, minLevel, maxLevel, defaultLevel, slowLevel, needsLibZstd)
    {
    }

    /// <summary>gzip, levels 1 to 9.</summary>
    public static PayloadCompression Gzip { get; } = new("gzip", 1, 9, 4, int.MaxValue, false);

    /// <summary>Brotli, qualities 0 to 11.</summary>
    public static PayloadCompression Brotli { get; } = new("br", 0, 11, 5, 10, false);

    /// <summary>Zstandard; needs libzstd.</summary>
    public static PayloadCompression Zstd { get; } = new("zstd", ZstdCompressor.MinLevel, ZstdCompressor.MaxLevel, 3, 16, true);

    /// <summary>A new compressor. The caller disposes it.</summary>
    /// <exception cref="CompressionException">The library is missing.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The level is out of range.</exception>
    public IPayloadCompressor Create(int level)
    {
        if (this == Gzip) return new GzipCompressor(level);
        return this == Brotli ? new BrotliCompressor(level) : new ZstdCompressor(level);
    }
}
