using System.Buffers;

namespace Abathur.Compression;

/// <summary>Reads streams of <see cref="ZstdStreamCompressor"/>. Its memory is the window of the stream, at most 8 MiB.</summary>
public sealed unsafe class ZstdStreamDecompressor : IStreamDecompressor
{
    private const int WindowLogMaxParameter = 100, MaxWindowBits = 23;
    private const int ResetSessionOnly = 1;

    private readonly ZstdDecompressionHandle _context = new();

    /// <exception cref="CompressionException">libzstd is missing.</exception>
    public ZstdStreamDecompressor() =>
        LibZstd.Check(LibZstd.ZSTD_DCtx_setParameter(_context, WindowLogMaxParameter, MaxWindowBits), "limit the window");

    /// <inheritdoc/>
    public void Restart() => LibZstd.Check(LibZstd.ZSTD_DCtx_reset(_context, ResetSessionOnly), "begin a stream");

    /// <inheritdoc/>
    public int Decompress(ReadOnlySpan<byte> source, IBufferWriter<byte> output, int maxBytes)
    {
        var bounded = new BoundedOutput(output, maxBytes);
        fixed (byte* from = source)
        {
            var input = new LibZstd.InBuffer { Source = from, Size = (nuint)source.Length };
            bool isFull;
            do
            {
                var room = bounded.GetRoom();
                fixed (byte* to = room)
                {
                    var buffer = new LibZstd.OutBuffer { Destination = to, Size = (nuint)room.Length };
                    var read = input.Position;
                    LibZstd.Check(LibZstd.ZSTD_decompressStream(_context, &buffer, &input), "decompress");
                    isFull = buffer.Position == buffer.Size;
                    if (!isFull && input.Position == read && input.Position < input.Size)
                        throw new CompressionException("zstd made no progress");
                    bounded.Advance((int)buffer.Position);
                }
            }
            while (isFull || input.Position < input.Size);
        }
        return bounded.Total;
    }

    /// <inheritdoc/>
    public void Dispose() => _context.Dispose();
}
