using Abathur.Compression;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Matches.History;

/// <summary>Reads the kept frames in order, from a segment's keyframe. For one task.</summary>
internal sealed class HistoryCursor : IDisposable
{
    private readonly MatchHistory _history;
    private readonly uint? _gameLoop;
    private readonly ZstdDecompressor? _zstd = PayloadCompression.Zstd.IsAvailable ? new() : null;
    private HistorySegment? _segment;
    private SharedBuffer? _plain;
    private ReadOnlyMemory<byte> _records;
    private int _at;

    internal HistoryCursor(MatchHistory history, uint? gameLoop) => (_history, _gameLoop) = (history, gameLoop);

    /// <summary>Whether frames were dropped before they were read, or the game loop went back: then nothing more can be read.</summary>
    public bool IsLost { get; private set; }

    /// <summary>The next record; false if it does not exist yet. The first one is a keyframe, which may be of an earlier game loop than the
    /// one that was asked for.</summary>
    public bool TryRead(out HistoryRecord record)
    {
        while (IsLost || _at == _records.Length)
        {
            if (TryContinue()) continue;
            if (!IsLost) _history.Await();
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
        var next = _history.Next(_segment);
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
        var (plain, length, compressed) = _history.Content(segment);
        Return();
        if (plain is not null)
        {
            _plain = plain;
            _records = plain.Memory[..length];
            return true;
        }
        if (compressed.IsEmpty)
        {
            IsLost = true;
            return false;
        }
        _plain = SharedBuffer.Rent(length);
        segment.Decompress(compressed.Span, _plain.GetSpan(length)[..length], _zstd);
        _plain.Advance(length);
        _records = _plain.Memory;
        return true;
    }

    private void Return()
    {
        _plain?.Release();
        _plain = null;
        _records = default;
    }
}
