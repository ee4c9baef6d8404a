namespace Abathur.Client;

/// <summary>How payloads are compressed. Not for <see cref="FrameEncoding.Json"/>, whose lines are not compressed.</summary>
public enum FrameCompression
{
    /// <summary>Not compressed.</summary>
    None,

    /// <summary>Each payload by itself.</summary>
    Gzip,

    /// <summary>Brotli, each payload by itself.</summary>
    Brotli,

    /// <summary>Each payload by itself.</summary>
    Zstd,

    /// <summary>One zstd stream over all payloads: a tenth of the size, or less.</summary>
    ZstdStream,

    /// <summary>One Brotli stream over all payloads.</summary>
    BrotliStream,
}
