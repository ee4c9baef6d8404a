namespace Abathur.Benchmarks.Codecs;

/// <summary>One-shot compression of an encoded frame.</summary>
internal enum FrameCompression
{
    /// <summary>gzip, level 6 (zlib's default).</summary>
    Gzip,

    /// <summary>Brotli, quality 4 (what web servers use for content made on the spot), window 22 bits.</summary>
    Brotli,

    /// <summary>Zstandard, level 3 (its default).</summary>
    Zstd,
}
