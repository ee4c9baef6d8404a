namespace Abathur.Mcap;

/// <summary>Limits and checks of <see cref="McapReader"/>.</summary>
public sealed record McapReaderOptions
{
    /// <summary>Largest record that is read into memory, as it is stored. Default: 1 GiB. Nothing larger than the file is ever asked for.</summary>
    public int MaxRecordBytes { get; init; } = 1024 * 1024 * 1024;

    /// <summary>Largest chunk after decompression. Default: 256 MiB. Memory is taken only where the chunk's own header agrees.</summary>
    public int MaxChunkBytes { get; init; } = 256 * 1024 * 1024;

    /// <summary>Bytes of all chunks after decompression that are gone through to index a file without an index; what is behind them is not read. Default: 16 GiB.</summary>
    public long MaxScannedBytes { get; init; } = 16L * 1024 * 1024 * 1024;

    /// <summary>Whether CRCs of chunks, attachments and the summary are compared. Default: true.</summary>
    public bool VerifyCrcs { get; init; } = true;
}
