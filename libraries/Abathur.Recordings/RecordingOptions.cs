using Abathur.Compression;
using Abathur.Mcap;

namespace Abathur.Recordings;

/// <summary>How a recording is written.</summary>
public sealed record RecordingOptions
{
    /// <summary>Bytes of a chunk before compression. Default: 16 MiB, 5 to 12 s of a match.</summary>
    /// <remarks>A killed process loses the open chunk; readers hold one chunk in memory; larger chunks compress better.</remarks>
    public int ChunkSizeBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>How chunks are compressed. Default: zstd if libzstd is installed, else none.</summary>
    public McapCompression Compression { get; init; } = LibZstd.IsAvailable ? McapCompression.Zstd : McapCompression.None;

    /// <summary>Level of zstd, 1 (fast) to 19 (small). Default: 6.</summary>
    public int Level { get; init; } = 6;

    /// <summary>Whether observations are stored as columns: much smaller, but public MCAP tools cannot read them. Default: no.</summary>
    public bool Compact { get; init; }

    internal McapWriterOptions ToMcap() =>
        new() { Library = "Abathur.Sync", ChunkSizeBytes = ChunkSizeBytes, Compression = Compression, Level = Level };
}
