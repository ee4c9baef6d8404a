namespace Abathur.Mcap;

/// <summary>Writes a valid MCAP file from one that was cut, was never closed, or has a damaged end.</summary>
/// <remarks>
/// The new file has every message of every complete chunk, and the messages of the last chunk as far as they are readable: without
/// compression
/// to the last byte, with zstd to the last complete block of up to 128 KiB. Attachments and metadata are copied. A chunk whose CRC is wrong
/// is
/// omitted and counted.
/// </remarks>
public static class McapRecovery
{
    /// <summary>Copies all that is readable from one stream to the other.</summary>
    /// <param name="input">The damaged file. It must be seekable; it is not changed and stays open.</param>
    /// <param name="output">Where the new file goes, from the current position on. It stays open.</param>
    /// <param name="options">How the new file is written. Default: with the input's compression. The profile is always the input's.</param>
    /// <param name="progress">Told the bytes of the input that are done, after each record or chunk. Default: none.</param>
    /// <param name="cancellationToken">Stops it; the output is a valid file with what was copied so far.</param>
    /// <exception cref="McapException">The input is not an MCAP file, ends inside its header, or uses an unsupported
    /// compression.</exception>
    /// <exception cref="IOException">A stream cannot be read or written.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static McapRecoveryResult Recover(
        Stream input, Stream output, McapWriterOptions? options = null, IProgress<long>? progress = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new McapWriterOptions { Compression = CompressionOf(input) };
        using var reader = McapReader.OpenWithoutScan(input);
        using var writer = new McapWriter(output, options with { Profile = reader.Header.Profile }, leaveOpen: true);
        var result = new RecordSalvage(reader, writer).Run(progress, cancellationToken);
        writer.Close();
        return result;
    }

    /// <summary>The compression of a file's first chunk; the default of <see cref="McapWriterOptions"/> if it cannot be read.</summary>
    /// <param name="input">The file. It must be seekable; it stays open.</param>
    /// <exception cref="McapException">The input is not an MCAP file, ends inside its header, or uses an unsupported
    /// compression.</exception>
    /// <exception cref="IOException">The stream cannot be read.</exception>
    public static McapCompression CompressionOf(Stream input)
    {
        using var reader = McapReader.OpenWithoutScan(input);
        for (var offset = reader.DataStart; reader.Input.TryReadHeader(offset, long.MaxValue, out var header); offset = header.End)
        {
            if (header.Opcode == McapOpcode.Chunk)
            {
                using var chunk = new ChunkBuffer();
                try
                {
                    chunk.LoadCut(reader.Input, header);
                    if (chunk.Compression.Length == 0) return McapCompression.None;
                }
                catch (McapException e) when (!e.IsUnsupported)
                {
                    // Not readable.
                }
                break;
            }
            if (header.End > reader.FileBytes) break;
        }
        return new McapWriterOptions().Compression;
    }
}
