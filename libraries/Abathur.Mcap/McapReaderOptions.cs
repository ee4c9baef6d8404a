namespace Abathur.Mcap;

/// <summary>Limits and checks of <see cref="McapReader"/>.</summary>
public sealed record McapReaderOptions
{
    /// <summary>Largest record that is read into memory, as it is stored. Default: 1 GiB. Memory is never allocated for more than the size
    /// of the file.</summary>
    public int MaxRecordBytes { get; init; } = 1024 * 1024 * 1024;

    /// <summary>Largest chunk after decompression. Default: 256 MiB. Memory is allocated only if the chunk's own header confirms the
    /// size.</summary>
    public int MaxChunkBytes { get; init; } = 256 * 1024 * 1024;

    /// <summary>Maximum bytes of all chunks after decompression that are scanned to index a file without an index; the rest is not read.
    /// Default: 16 GiB.</summary>
    public long MaxScannedBytes { get; init; } = 16L * 1024 * 1024 * 1024;

    /// <summary>Cancels opening and reading, between two records, with <see cref="OperationCanceledException"/>. Default: never.</summary>
    public CancellationToken CancellationToken { get; init; }

    /// <summary>Whether CRCs of chunks, attachments and the summary are compared. Default: true.</summary>
    public bool VerifyCrcs { get; init; } = true;
}
