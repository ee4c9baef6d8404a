using Abathur.Compression;
using Abathur.Sync.Frames;

namespace Abathur.Sync.History;

/// <summary>Reads the kept frames in order, from a segment's keyframe. For one task.</summary>
internal sealed class HistoryCursor : IDisposable
{
    private readonly MatchHistory _history;
    private readonly uint? _gameLoop;
    private readonly ZstdDecompressor? _zstd = PayloadCompression.Zstd.IsAvailable ? new() : null;
    private HistorySegment? _segment;
    private BlockPool.Block? _decompressed;
    private ReadOnlyMemory<byte> _records;
    private int _at;

    internal HistoryCursor(MatchHistory history, uint? gameLoop) => (_history, _gameLoop) = (history, gameLoop);

    /// <summary>Whether frames were dropped before they were read, or the game loop went back: then nothing more can be read.</summary>
    public bool IsLost { get; private set; }

    /// <summary>The next record; false if it does not exist yet. The first one is a keyframe, which may be of an earlier game loop than the
    /// one that was asked for.</summary>
    public bool TryRead(out HistoryRecord record)
    {
        while (_at == _records.Length)
        {
            if (TryContinue()) continue;
            record = default;
            return false;
        }
        record = HistoryRecord.Read(_records[_at..]);
        _at += HistoryRecord.HeadBytes + record.Payload.Length;
        return true;
    }

    public void Dispose()
    {
        _zstd?.Dispose();
        Return();
    }

    /// <summary>Takes records that were appended, or the next segment; false if there are none.</summary>
    private bool TryContinue()
    {
        if (IsLost) return false;
        if (_segment is null)
        {
            _segment = _history.Find(_gameLoop);
            return _segment is not null && Load(_segment);
        }
        // The segment behind it exists only when this one is complete: read in this order.
        var (_, _, next) = _history.Content(_segment);
        if (_segment.Length > _records.Length) return Load(_segment);
        if (next is null) return false;
        if (next.Round != _segment.Round)
        {
            IsLost = true;
            return false;
        }
        _segment = next;
        _records = default;
        _at = 0;
        return Load(next);
    }

    private bool Load(HistorySegment segment)
    {
        var (plain, compressed, _) = _history.Content(segment);
        if (!compressed.IsEmpty)
        {
            Return();
            _decompressed = BlockPool.Shared.Rent(segment.Length);
            plain = _decompressed.Memory[..segment.Length];
            segment.Decompress(compressed.Span, _decompressed.Bytes.AsSpan(0, segment.Length), _zstd);
        }
        else if (plain.IsEmpty)
        {
            IsLost = segment.IsDropped;
            return false;
        }
        _records = plain;
        return true;
    }

    private void Return()
    {
        _decompressed?.Dispose();
        _decompressed = null;
        _records = default;
    }
}
