using System.Buffers;
using System.IO.Compression;

namespace Abathur.Compression;

/// <summary>Reads streams of <see cref="BrotliStreamCompressor"/>.</summary>
public sealed class BrotliStreamDecompressor : IStreamDecompressor
{
    private const int MinRoomBytes = 4096;
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
        var total = 0;
        OperationStatus status;
        int written;
        do
        {
            var room = output.GetSpan(MinRoomBytes);
            if (room.Length > maxBytes - total) room = room[..Math.Min(room.Length, maxBytes - total + 1)];
            status = _decoder.Decompress(source, room, out var consumed, out written);
            source = source[consumed..];
            total += written;
            if (total > maxBytes) throw new CompressionException($"the payload holds more than {maxBytes} bytes");
            output.Advance(written);
        }
        // It may ask for more input while there is more output.
        while (status == OperationStatus.DestinationTooSmall || (status == OperationStatus.NeedMoreData && written > 0));
        if (status != OperationStatus.NeedMoreData || !source.IsEmpty) throw new CompressionException("brotli could not decompress: damaged data");
        return total;
    }

    /// <inheritdoc/>
    public void Dispose() => Restart();
}
