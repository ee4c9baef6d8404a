using System.Buffers;
using System.IO.Compression;

namespace Abathur.Compression;

/// <summary>Brotli (RFC 7932) in one call per payload. Allocates nothing on the managed heap; Brotli has no state that could be
/// kept.</summary>
public sealed class BrotliCompressor : IPayloadCompressor
{
    private const int MinWindowBits = 16, MaxWindowBits = 22;
    private readonly int _quality;

    /// <param name="quality">0 (fast) to 11 (small).</param>
    /// <exception cref="ArgumentOutOfRangeException">The quality is out of range.</exception>
    public BrotliCompressor(int quality)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(quality);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(quality, 11);
        _quality = quality;
    }

    /// <inheritdoc/>
    public void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output)
    {
        // With room for the worst case, one attempt is enough.
        var room = output.GetSpan(BrotliEncoder.GetMaxCompressedLength(source.Length));
        if (!BrotliEncoder.TryCompress(source, room, out var written, _quality, WindowBits(source.Length)))
            throw new CompressionException("brotli could not compress");
        output.Advance(written);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }

    /// <summary>A window that spans the payload: a larger one only costs memory to clear.</summary>
    private static int WindowBits(int bytes) => Math.Clamp(32 - int.LeadingZeroCount(bytes), MinWindowBits, MaxWindowBits);
}
