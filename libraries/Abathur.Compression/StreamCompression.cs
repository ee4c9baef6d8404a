namespace Abathur.Compression;

/// <summary>A compression format that compresses each payload of a stream with the history of the payloads before it.</summary>
public sealed record StreamCompression : CompressionKind
{
    private StreamCompression(string name, int minLevel, int maxLevel, int defaultLevel, int slowLevel, bool needsLibZstd)
        : base(name, minLevel, maxLevel, defaultLevel, slowLevel, needsLibZstd)
    {
    }

    /// <summary>One Zstandard frame, flushed after each payload; needs libzstd.</summary>
    public static StreamCompression Zstd { get; } =
        new("zstd-stream", ZstdCompressor.MinLevel, ZstdCompressor.MaxLevel, 7, 16, true);

    /// <summary>One Brotli stream, flushed after each payload.</summary>
    public static StreamCompression Brotli { get; } =
        new("br-stream", BrotliStreamCompressor.MinQuality, BrotliStreamCompressor.MaxQuality, 5, 10, false);

    /// <summary>A new compressor. The caller disposes it.</summary>
    /// <exception cref="CompressionException">The library is missing.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The level is out of range.</exception>
    public IStreamCompressor Create(int level) => this == Zstd ? new ZstdStreamCompressor(level) : new BrotliStreamCompressor(level);

    /// <summary>A new decompressor. The caller disposes it.</summary>
    /// <exception cref="CompressionException">The library is missing.</exception>
    public IStreamDecompressor CreateDecompressor() => this == Zstd ? new ZstdStreamDecompressor() : new BrotliStreamDecompressor();
}
