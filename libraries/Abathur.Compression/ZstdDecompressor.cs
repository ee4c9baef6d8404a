namespace Abathur.Compression;

/// <summary>Decompresses zstd frames whose size is known beforehand, one context for all of them. Not thread-safe.</summary>
public sealed unsafe class ZstdDecompressor : IDisposable
{
    private const int ResetSessionOnly = 1;
    private const ulong ContentSizeUnknown = ulong.MaxValue;

    private readonly ZstdDecompressionHandle _context = new();

    /// <summary>Whether the frame at the start of <paramref name="source"/> can have exactly this many bytes, according to its
    /// header.</summary>
    /// <remarks>Check this before allocating a size from another source. A frame without a size passes.</remarks>
    public static bool CanHold(ReadOnlySpan<byte> source, ulong contentBytes)
    {
        LibZstd.EnsureAvailable();
        fixed (byte* from = source)
        {
            var size = LibZstd.ZSTD_getFrameContentSize(from, (nuint)source.Length);
            return size == contentBytes || size == ContentSizeUnknown;
        }
    }

    /// <summary>Decompresses all of <paramref name="source"/> and returns the number of bytes written.</summary>
    /// <exception cref="CompressionException">The data is damaged, or gives more than <paramref name="destination"/> holds.</exception>
    public int Decompress(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        fixed (byte* from = source)
        fixed (byte* to = destination)
        {
            return (int)LibZstd.Check(
                LibZstd.ZSTD_decompressDCtx(_context, to, (nuint)destination.Length, from, (nuint)source.Length), "decompress");
        }
    }

    /// <summary>Decompresses the complete part of truncated data and returns the number of bytes written.</summary>
    /// <remarks>Zstd decompresses whole blocks of up to 128 KiB: a truncated block is lost. Never throws for damaged data.</remarks>
    public int DecompressWhatIsThere(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        if (source.IsEmpty || destination.IsEmpty) return 0;
        LibZstd.ZSTD_DCtx_reset(_context, ResetSessionOnly);
        fixed (byte* from = source)
        fixed (byte* to = destination)
        {
            var input = new LibZstd.InBuffer { Source = from, Size = (nuint)source.Length };
            var output = new LibZstd.OutBuffer { Destination = to, Size = (nuint)destination.Length };
            while (output.Position < output.Size)
            {
                var (read, written) = (input.Position, output.Position);
                var result = LibZstd.ZSTD_decompressStream(_context, &output, &input);
                if (LibZstd.IsError(result) || result == 0) break;
                if (input.Position == read && output.Position == written) break;
            }
            LibZstd.ZSTD_DCtx_reset(_context, ResetSessionOnly);
            return (int)output.Position;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _context.Dispose();
}
