using Abathur.Mcap;

namespace Abathur.Recordings;

/// <summary>
/// The messages of a recording, in order, with a message for each frame also where the file has segments. Not thread-safe.
/// </summary>
/// <remarks>
/// A segment is behind the messages of other topics that were recorded meanwhile. They are kept until their time has come.
/// </remarks>
internal sealed class RecordingCursor : IDisposable
{
    // A file of this library never has as many between two segments.
    private const int MaxPending = 65_536;
    private const long MaxPendingBytes = 64 * 1024 * 1024;

    private readonly McapMessageCursor _cursor;
    private readonly HashSet<ushort> _segments, _observations;
    private readonly SegmentFrames _frames;
    private readonly Queue<McapMessage> _pending = new();
    private long _pendingBytes;
    private McapMessage? _wholeFrame;
    private bool _isFrame;
    private McapMessage _current;

    /// <param name="mcap">The file.</param>
    /// <param name="observations">Channels of observations, whole or in segments.</param>
    public RecordingCursor(McapReader mcap, HashSet<ushort> observations)
    {
        _cursor = mcap.ReadMessages();
        _observations = observations;
        _segments = [.. SegmentsOf(mcap)];
        _frames = new SegmentFrames(mcap);
    }

    /// <summary>The channels of segments.</summary>
    public IReadOnlySet<ushort> Segments => _segments;

    /// <summary>The channels of segments in a file.</summary>
    public static IEnumerable<ushort> SegmentsOf(McapReader mcap) =>
        mcap.Channels.Values.Where(channel => channel.Topic == RecordingTopics.Columns).Select(channel => channel.Id);

    /// <summary>The current message. Its data is empty if it is a frame of a segment: <see cref="Data"/>.</summary>
    public McapMessage Current => _current;

    /// <summary>Data of the current message, valid until the cursor moves.</summary>
    /// <exception cref="RecordingException">The observation is damaged.</exception>
    public ReadOnlyMemory<byte> Data => _isFrame ? _frames.Observation : _current.Data;

    /// <inheritdoc cref="McapMessageCursor.BlockOffset"/>
    public long BlockOffset => _cursor.BlockOffset;

    /// <summary>Moves to the next message. False after the last.</summary>
    /// <exception cref="McapException">The file is damaged there.</exception>
    /// <exception cref="RecordingException">A segment is damaged.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public bool MoveNext()
    {
        if (_segments.Count == 0) return Take(_cursor.MoveNext() ? _cursor.Current : null);
        while (true)
        {
            if (_wholeFrame is { } whole) return Take(TakePending(whole.LogTime) ?? TakeWhole(whole));
            if (_frames.Next is { } frame)
            {
                if (TakePending(frame.LogTime) is { } before) return Take(before);
                _frames.MoveNext();
                _current = _frames.Current;
                return _isFrame = true;
            }
            if (_pending.Count > MaxPending || _pendingBytes > MaxPendingBytes || !_cursor.MoveNext()) return Take(TakePending(null));
            Sort(_cursor.Current);
        }
    }

    /// <inheritdoc cref="McapMessageCursor.MoveTo"/>
    public void MoveTo(long blockOffset)
    {
        Forget();
        _cursor.MoveTo(blockOffset);
    }

    /// <summary>Moves the cursor before the first message of the file.</summary>
    public void Rewind()
    {
        Forget();
        _cursor.Rewind();
    }

    /// <summary>How many frames a segment has.</summary>
    /// <exception cref="RecordingException">It is not a segment.</exception>
    public int CountFrames(in McapMessage segment) => _frames.Count(segment);

    /// <inheritdoc/>
    public void Dispose() => _cursor.Dispose();

    private void Sort(in McapMessage message)
    {
        if (_segments.Contains(message.ChannelId)) _frames.Load(message);
        else if (_observations.Contains(message.ChannelId)) _wholeFrame = message;
        else Keep(message);
    }

    private void Keep(in McapMessage message)
    {
        _pending.Enqueue(message with { Data = message.Data.ToArray() });
        _pendingBytes += message.Data.Length;
    }

    private McapMessage TakeWhole(in McapMessage whole)
    {
        _wholeFrame = null;
        return whole;
    }

    /// <summary>The oldest pending message, if it comes before a frame of this log time; null: in any case.</summary>
    private McapMessage? TakePending(ulong? frame)
    {
        if (!_pending.TryPeek(out var oldest) || oldest.LogTime > frame) return null;
        _pendingBytes -= oldest.Data.Length;
        return _pending.Dequeue();
    }

    private bool Take(McapMessage? message)
    {
        _isFrame = false;
        _current = message ?? default;
        return message is not null;
    }

    private void Forget()
    {
        _pending.Clear();
        _pendingBytes = 0;
        _wholeFrame = null;
        _frames.Restart();
        Take(null);
    }
}
