namespace Abathur.Mcap;

/// <summary>How chunks are compressed.</summary>
public enum McapCompression
{
    /// <summary>No compression; needs no library.</summary>
    None,

    /// <summary>With zstd; needs libzstd.</summary>
    Zstd,
}
