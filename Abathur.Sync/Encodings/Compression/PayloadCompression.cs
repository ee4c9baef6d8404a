namespace Abathur.Sync.Encodings.Compression;

/// <summary>One way to compress payloads: its levels, and whether it is there.</summary>
/// <param name="Name">As agents write it.</param>
/// <param name="MinLevel">Fastest level.</param>
/// <param name="MaxLevel">Smallest result.</param>
/// <param name="DefaultLevel">
/// What level 0 of a subscription stands for. On late frames of a real match (73 KB) it takes at most 2 percent of the game's tick of 44.6 ms, so that the
/// stream keeps the pace with room for others (figures in docs/protocol.md).
/// </param>
public sealed record PayloadCompression(string Name, int MinLevel, int MaxLevel, int DefaultLevel)
{
    private static readonly PayloadCompression Gzip = new("gzip", 1, 9, 4);
    private static readonly PayloadCompression Brotli = new("br", 0, 11, 5);
    private static readonly PayloadCompression Zstd = new("zstd", ZstdCompressor.MinLevel, ZstdCompressor.MaxLevel, 3);

    /// <summary>Whether the library that it needs is on this machine; what to do about it is <see cref="LibZstd.InstallMessage"/>.</summary>
    public bool IsAvailable => this != Zstd || LibZstd.IsAvailable;

    /// <summary>The one of that name in the protocol; null for none, and for those that work on streams.</summary>
    public static PayloadCompression? For(V1.Compression compression) => compression switch
    {
        V1.Compression.Gzip => Gzip,
        V1.Compression.Br => Brotli,
        V1.Compression.Zstd => Zstd,
        _ => null,
    };

    /// <summary>Whether the level is one of this compression.</summary>
    public bool Takes(int level) => level >= MinLevel && level <= MaxLevel;

    /// <summary>A compressor of its own for each stream. The caller disposes it.</summary>
    /// <exception cref="CompressionException">The library is missing.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The level is out of range.</exception>
    public IPayloadCompressor Create(int level)
    {
        if (this == Gzip) return new GzipCompressor(level);
        return this == Brotli ? new BrotliCompressor(level) : new ZstdCompressor(level);
    }
}
