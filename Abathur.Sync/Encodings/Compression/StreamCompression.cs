namespace Abathur.Sync.Encodings.Compression;

/// <summary>One way to compress the payloads of a stream with those before them.</summary>
public sealed record StreamCompression : CompressionKind
{
    private static readonly StreamCompression Zstd = new("zstd-stream", ZstdCompressor.MinLevel, ZstdCompressor.MaxLevel, 7, true);
    private static readonly StreamCompression Brotli = new("br-stream", BrotliStreamCompressor.MinQuality, BrotliStreamCompressor.MaxQuality, 5, false);

    private StreamCompression(string name, int minLevel, int maxLevel, int defaultLevel, bool needsLibZstd) : base(name, minLevel, maxLevel, defaultLevel, needsLibZstd)
    {
    }

    /// <inheritdoc/>
    public override int SlowLevel => Name switch
    {
        "zstd-stream" => 16,
        "br-stream" => 10,
        _ => int.MaxValue,
    };

    /// <summary>The one of that name in the protocol; null for none, and for those that compress each payload for itself.</summary>
    public static new StreamCompression? For(V1.Compression compression) => compression switch
    {
        V1.Compression.ZstdStream => Zstd,
        V1.Compression.BrStream => Brotli,
        _ => null,
    };

    /// <summary>A compressor of its own for each stream. The caller disposes it.</summary>
    /// <exception cref="CompressionException">The library is missing.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The level is out of range.</exception>
    public IStreamCompressor Create(int level) => this == Zstd ? new ZstdStreamCompressor(level) : new BrotliStreamCompressor(level);
}
