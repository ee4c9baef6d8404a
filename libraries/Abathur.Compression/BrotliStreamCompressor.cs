using System.Buffers;
using System.IO.Compression;

namespace Abathur.Compression;

/// <summary>A Brotli stream (RFC 7932) that is never ended, flushed to a whole byte after each payload.</summary>
/// <remarks>The state of Brotli cannot be reused: each restart allocates a new one, of some MB of native memory.</remarks>
public sealed class BrotliStreamCompressor : IStreamCompressor
{
    /// <summary>Lowest and highest supported quality. Qualities 0 and 1 find no matches in earlier payloads.</summary>
    public const int MinQuality = 2, MaxQuality = 11;

    private const int MinRoomBytes = 1024;
    private readonly int _quality;
    private BrotliEncoder _encoder;
    private bool _hasEncoder;

    /// <param name="quality">2 (fast) to 11 (small).</param>
    /// <exception cref="ArgumentOutOfRangeException">The quality is out of range.</exception>
    public BrotliStreamCompressor(int quality)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(quality, MinQuality);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(quality, MaxQuality);
        _quality = quality;
    }

    /// <inheritdoc/>
    public void Restart(int windowBits)
    {
        Dispose();
        _encoder = new BrotliEncoder(_quality, windowBits);
        _hasEncoder = true;
    }

    /// <inheritdoc/>
    public void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output)
    {
        OperationStatus status;
        do
        {
            status = _encoder.Compress(source, output.GetSpan(MinRoomBytes), out var consumed, out var written, isFinalBlock: false);
            source = source[consumed..];
            output.Advance(written);
        }
        while (status == OperationStatus.DestinationTooSmall || (status == OperationStatus.Done && !source.IsEmpty));
        if (status == OperationStatus.InvalidData) throw new CompressionException("brotli could not compress");
        do
        {
            status = _encoder.Flush(output.GetSpan(MinRoomBytes), out var written);
            output.Advance(written);
        }
        while (status == OperationStatus.DestinationTooSmall);
        if (status == OperationStatus.InvalidData) throw new CompressionException("brotli could not flush");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_hasEncoder) _encoder.Dispose();
        _hasEncoder = false;
    }
}
