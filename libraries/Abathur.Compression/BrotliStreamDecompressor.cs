using System.Buffers;
using System.IO.Compression;

namespace Abathur.Compression;

/// <summary>Reads streams of <see cref="BrotliStreamCompressor"/>.</summary>
public sealed class BrotliStreamDecompressor : IStreamDecompressor
{
    private BrotliDecoder _decoder;

    /// <inheritdoc/>
    public void Restart()
    {
        _decoder.Dispose();
        _decoder = default;
    }

    /// <inheritdoc/>
    public int Decompress(ReadOnlySpan<byte> source, IBufferWriter<byte> output, int maxBytes)
    {
        var bounded = new BoundedOutput(output, maxBytes);
        OperationStatus status;
        int written;
        do
        {
            status = _decoder.Decompress(source, bounded.GetRoom(), out var consumed, out written);
            source = source[consumed..];
            bounded.Advance(written);
        }
        // It may request more input although there is more output.
        while (status == OperationStatus.DestinationTooSmall || (status == OperationStatus.NeedMoreData && written > 0));
        if (status != OperationStatus.NeedMoreData || !source.IsEmpty)
            throw new CompressionException("brotli could not decompress: damaged data");
        return bounded.Total;
    }

    /// <inheritdoc/>
    public void Dispose() => Restart();
}
