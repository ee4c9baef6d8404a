using System.Buffers;

namespace Abathur.Compression;

/// <summary>
/// A zstd frame (RFC 8878) per stream, without content size and checksum, never ended, its block flushed after each payload. One context
/// for all streams in sequence: its memory is the window, and 1 to 3 MB of tables at the default level.
/// </summary>
public sealed unsafe class ZstdStreamCompressor : IStreamCompressor
{
    private const int CompressionLevelParameter = 100, WindowLogParameter = 101, HashLogParameter = 102, ChainLogParameter = 103;
    private const int MinMatchParameter = 105, ContentSizeParameter = 200;
    private const int ResetSessionOnly = 1;
    private const int Flush = 1;
    private const int MinRoomBytes = 1024;

    // Levels at which zstd searches rows of hashes. For frames that repeat the previous one, a minimum match of six bytes and tables of a
    // sixteenth of the window (a frame) compress as well as the defaults of these levels, take half the time, and a restart clears a
    // quarter of the memory.
    private const int MinRowLevel = 5, MaxRowLevel = 12, RowMinMatch = 6, TableBitsBelowWindow = 4, MinTableBits = 16;

    private readonly ZstdCompressionHandle _context = new();
    private readonly int _level;
    private int _windowBits;

    /// <param name="level">1 (fast) to 19 (small).</param>
    /// <exception cref="CompressionException">libzstd is missing.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The level is out of range.</exception>
    public ZstdStreamCompressor(int level)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(level, ZstdCompressor.MinLevel);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(level, ZstdCompressor.MaxLevel);
        _level = level;
        Set(CompressionLevelParameter, level);
        Set(ContentSizeParameter, 0);
    }

    /// <inheritdoc/>
    public void Restart(int windowBits)
    {
        LibZstd.Check(LibZstd.ZSTD_CCtx_reset(_context, ResetSessionOnly), "begin a stream");
        if (windowBits == _windowBits) return;
        _windowBits = windowBits;
        Set(WindowLogParameter, windowBits);
        if (_level is < MinRowLevel or > MaxRowLevel) return;
        var tableBits = Math.Max(windowBits - TableBitsBelowWindow, MinTableBits);
        Set(HashLogParameter, tableBits);
        Set(ChainLogParameter, tableBits);
        Set(MinMatchParameter, RowMinMatch);
    }

    /// <inheritdoc/>
    public void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output)
    {
        fixed (byte* from = source)
        {
            var input = new LibZstd.InBuffer { Source = from, Size = (nuint)source.Length };
            nuint left;
            do
            {
                // The result is usually a hundredth of the source: room for the worst case would be unused memory in every queued frame.
                var room = output.GetSpan(MinRoomBytes);
                fixed (byte* to = room)
                {
                    var buffer = new LibZstd.OutBuffer { Destination = to, Size = (nuint)room.Length };
                    left = LibZstd.Check(LibZstd.ZSTD_compressStream2(_context, &buffer, &input, Flush), "compress");
                    output.Advance((int)buffer.Position);
                }
            }
            while (left != 0);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _context.Dispose();

    private void Set(int parameter, int value) =>
        LibZstd.Check(LibZstd.ZSTD_CCtx_setParameter(_context, parameter, value), "take a parameter");
}
