using System.Buffers;

namespace Abathur.Compression;

/// <summary>Compresses blocks of bytes into zstd frames, one context for all of them. Not thread-safe.</summary>
/// <remarks>Each frame has its content size but no checksum: the formats that store frames have their own.</remarks>
public sealed unsafe class ZstdCompressor : IPayloadCompressor
{
    /// <summary>Lowest and highest supported level. Zstd's levels 20 to 22 need hundreds of megabytes.</summary>
    public const int MinLevel = 1, MaxLevel = 19;

    private const int CompressionLevelParameter = 100;

    private readonly ZstdCompressionHandle _context;

    /// <param name="level">1 (fast) to 19 (small).</param>
    /// <exception cref="CompressionException">libzstd is missing.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The level is out of range.</exception>
    public ZstdCompressor(int level)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(level, MinLevel);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(level, MaxLevel);
        _context = new ZstdCompressionHandle();
        LibZstd.Check(LibZstd.ZSTD_CCtx_setParameter(_context, CompressionLevelParameter, level), "set the level");
    }

    /// <summary>Bytes that the result of <see cref="Compress(ReadOnlySpan{byte}, Span{byte})"/> can take at most.</summary>
    /// <exception cref="CompressionException">libzstd is missing, or the size exceeds its limit.</exception>
    public static int MaxCompressedBytes(int sourceBytes)
    {
        LibZstd.EnsureAvailable();
        return checked((int)LibZstd.Check(LibZstd.ZSTD_compressBound((nuint)sourceBytes), "take so many bytes"));
    }

    /// <summary>Writes one zstd frame with all of <paramref name="source"/> and returns its length.</summary>
    /// <exception cref="CompressionException"><paramref name="destination"/> is too small.</exception>
    public int Compress(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        fixed (byte* from = source)
        fixed (byte* to = destination)
        {
            return (int)LibZstd.Check(
                LibZstd.ZSTD_compress2(_context, to, (nuint)destination.Length, from, (nuint)source.Length), "compress");
        }
    }

    /// <inheritdoc/>
    public void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output) =>
        output.Advance(Compress(source, output.GetSpan(MaxCompressedBytes(source.Length))));

    /// <inheritdoc/>
    public void Dispose() => _context.Dispose();
}
