using Abathur.Compression;

namespace Abathur.Mcap;

/// <summary>Options of <see cref="McapWriter"/>. By default all optional records are written.</summary>
public sealed record McapWriterOptions
{
    /// <summary>Profile in the header. Default: empty.</summary>
    public string Profile { get; init; } = "";

    /// <summary>Library in the header. Default: this library.</summary>
    public string Library { get; init; } = "Abathur.Mcap";

    /// <summary>A chunk is closed and written when its records reach this many bytes, before compression. Default: 1 MiB.</summary>
    /// <remarks>
    /// Larger chunks compress better, but a killed process loses the open chunk, and readers hold one chunk in memory. A message larger
    /// than this gets its own chunk.
    /// </remarks>
    public int ChunkSizeBytes { get; init; } = 1024 * 1024;

    /// <summary>How chunks are compressed. Default: zstd if libzstd is installed, else none.</summary>
    public McapCompression Compression { get; init; } =
        LibZstd.IsAvailable ? McapCompression.Zstd : McapCompression.None;

    /// <summary>Level of zstd, 1 (fast) to 19 (small). Default: 3.</summary>
    public int Level { get; init; } = 3;

    /// <summary>Whether messages are put into chunks. Without chunks, there is neither compression nor an index. Default: true.</summary>
    public bool Chunks { get; init; } = true;

    /// <summary>Whether MessageIndex records follow each chunk. Default: true.</summary>
    public bool MessageIndexes { get; init; } = true;

    /// <summary>Whether the summary has ChunkIndex records. Default: true.</summary>
    public bool ChunkIndexes { get; init; } = true;

    /// <summary>Whether the summary has AttachmentIndex records. Default: true.</summary>
    public bool AttachmentIndexes { get; init; } = true;

    /// <summary>Whether the summary has MetadataIndex records. Default: true.</summary>
    public bool MetadataIndexes { get; init; } = true;

    /// <summary>Whether the summary repeats the schemas. Default: true.</summary>
    public bool RepeatedSchemas { get; init; } = true;

    /// <summary>Whether the summary repeats the channels. Default: true.</summary>
    public bool RepeatedChannels { get; init; } = true;

    /// <summary>Whether the summary has a Statistics record. Default: true.</summary>
    public bool Statistics { get; init; } = true;

    /// <summary>Whether SummaryOffset records follow the summary. Default: true.</summary>
    public bool SummaryOffsets { get; init; } = true;

    /// <summary>Throws for values out of range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The chunk size is not in 1 KiB to 1 GiB, or the level not in 1 to 19.</exception>
    public void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(ChunkSizeBytes, 1024);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ChunkSizeBytes, 1024 * 1024 * 1024);
        ArgumentOutOfRangeException.ThrowIfLessThan(Level, ZstdCompressor.MinLevel);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Level, ZstdCompressor.MaxLevel);
    }
}
