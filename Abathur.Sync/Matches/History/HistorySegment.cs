using System.Buffers;
using Abathur.Compression;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Matches.History;

/// <summary>
/// A keyframe and the delta frames behind it. Its records are appended to pooled memory; a closed segment is one compressed block. The
/// history that has it guards it with its lock, but bytes that were appended never change.
/// </summary>
internal sealed class HistorySegment
{
    private SharedBuffer? _plain;
    private byte[]? _compressed;
    private bool _isZstd;

    /// <param name="round">Number of the run of game loops that do not go back.</param>
    /// <param name="firstGameLoop">Game loop of its keyframe.</param>
    /// <param name="sizeHint">Expected bytes of its records.</param>
    public HistorySegment(int round, uint firstGameLoop, int sizeHint)
    {
        Round = round;
        FirstGameLoop = LastGameLoop = firstGameLoop;
        _plain = SharedBuffer.Rent(sizeHint);
    }

    /// <summary>Number of the run of game loops that do not go back.</summary>
    public int Round { get; }

    /// <summary>Game loop of the keyframe.</summary>
    public uint FirstGameLoop { get; }

    /// <summary>Game loop of the newest record.</summary>
    public uint LastGameLoop { get; private set; }

    /// <summary>Number of records.</summary>
    public int Frames { get; private set; }

    /// <summary>Bytes of all records before compression.</summary>
    public int Length { get; private set; }

    /// <summary>Memory that it takes.</summary>
    public long Bytes => (_plain?.CapacityBytes ?? 0) + (_compressed?.Length ?? 0);

    /// <summary>The segment behind it; null for the newest.</summary>
    public HistorySegment? Next { get; set; }

    /// <summary>Memory for the next record. Call <see cref="Append"/> when it is written.</summary>
    public Span<byte> Reserve(int bytes)
    {
        if (_plain!.CapacityBytes - Length < bytes)
        {
            // Not by the buffer itself: readers may hold the old memory.
            var larger = SharedBuffer.Rent(Math.Max(Math.Min(2 * _plain.CapacityBytes, BlockPool.MaxBytes), Length + bytes));
            larger.Write(_plain.Span);
            _plain.Release();
            _plain = larger;
        }
        return _plain.GetSpan(bytes)[..bytes];
    }

    /// <summary>Adds the record that was written.</summary>
    public void Append(int bytes, uint gameLoop)
    {
        _plain!.Advance(bytes);
        Length += bytes;
        LastGameLoop = gameLoop;
        Frames++;
    }

    /// <summary>All records of an open segment, which the caller releases; null for another one.</summary>
    public SharedBuffer? RetainPlain()
    {
        _plain?.Retain();
        return _plain;
    }

    /// <summary>The compressed records of a closed segment; empty for an open one.</summary>
    public ReadOnlyMemory<byte> Compressed => _compressed;

    /// <summary>Replaces the records of a closed segment by the compressed ones.</summary>
    public void Close(byte[] compressed, bool isZstd)
    {
        _compressed = compressed;
        _isZstd = isZstd;
        _plain!.Release();
        _plain = null;
    }

    /// <summary>Removes the content.</summary>
    public void Drop()
    {
        _plain?.Release();
        _plain = null;
        _compressed = null;
    }

    /// <summary>Decompresses the records of a closed segment.</summary>
    /// <param name="compressed">Its <see cref="Compressed"/> records.</param>
    /// <param name="output"><see cref="Length"/> bytes.</param>
    /// <param name="zstd">Decompresses zstd; null if it is not available.</param>
    public void Decompress(ReadOnlySpan<byte> compressed, Span<byte> output, ZstdDecompressor? zstd)
    {
        var written = 0;
        if (_isZstd) written = zstd!.Decompress(compressed, output);
        else System.IO.Compression.BrotliDecoder.TryDecompress(compressed, output, out written);
        if (written != Length) throw new InvalidDataException($"a segment of the history has {written} bytes instead of {Length}");
    }
}
