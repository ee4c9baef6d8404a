using System.Buffers;
using Abathur.Columns;
using Abathur.Mcap;
using Abathur.Sc2;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Recordings;

/// <summary>The frames of one segment after another, of one file. Observations are built only if they are asked for. Not
/// thread-safe.</summary>
/// <param name="name">Name of the file, for errors.</param>
internal sealed class SegmentFrames(string name)
{
    private readonly ColumnsDecoder _decoder = new();
    private readonly ArrayBufferWriter<byte> _observation = new();
    private ColumnsSegment _segment = new();
    private McapMessage _head;
    private int _next;
    private long _gameLoop, _logTime;

    /// <summary>The frame that was read last, without its observation: <see cref="Observation"/>.</summary>
    public McapMessage Current { get; private set; }

    /// <summary>Game loop and log time of the next frame; null after the last one of the segment.</summary>
    public (uint GameLoop, ulong LogTime)? Next => _next == _segment.Payloads.Count
        ? null
        : ((uint)(_gameLoop + _segment.GameLoopSteps[_next]), (ulong)(_logTime + _segment.LogTimeSteps[_next]));

    /// <summary>Begins another segment.</summary>
    /// <exception cref="RecordingException">It is not a segment.</exception>
    public void Load(in McapMessage segment)
    {
        Clear();
        _head = segment with { Data = default };
        _segment = Parse(segment);
        (_gameLoop, _logTime) = (GameTime.ToGameLoop(segment.PublishTime), (long)segment.LogTime);
    }

    /// <summary>Forgets the segment.</summary>
    public void Clear()
    {
        _segment = new ColumnsSegment();
        _next = 0;
        Current = default;
    }

    /// <summary>Moves to the next frame, which must exist.</summary>
    /// <exception cref="RecordingException">It is damaged.</exception>
    public void MoveNext()
    {
        var (gameLoop, logTime) = Next ?? throw new InvalidOperationException("There is no next frame.");
        try
        {
            _decoder.Decode(_segment.Payloads[_next].Span);
        }
        catch (InvalidDataException e)
        {
            throw Damaged(_head, e);
        }
        (_gameLoop, _logTime) = (gameLoop, (long)logTime);
        Current = new McapMessage(
            _head.ChannelId, _head.Sequence + (uint)_next, logTime, GameTime.ToNanoseconds(gameLoop), ReadOnlyMemory<byte>.Empty);
        _next++;
        _observation.ResetWrittenCount();
    }

    /// <summary>The observation of <see cref="Current"/>, valid until the next move.</summary>
    public ReadOnlyMemory<byte> Observation
    {
        get
        {
            if (_observation.WrittenCount == 0) _decoder.WriteObservation(_observation);
            return _observation.WrittenMemory;
        }
    }

    /// <summary>How many frames a segment has.</summary>
    /// <exception cref="RecordingException">It is not a segment.</exception>
    public int Count(in McapMessage segment) => Parse(segment).Payloads.Count;

    private ColumnsSegment Parse(in McapMessage message)
    {
        try
        {
            var segment = ColumnsSegment.Parser.ParseFrom(message.Data.Span);
            var frames = segment.Payloads.Count;
            if (segment.GameLoopSteps.Count == frames && segment.LogTimeSteps.Count == frames) return segment;
        }
        catch (InvalidProtocolBufferException e)
        {
            throw Damaged(message, e);
        }
        throw Damaged(message, null);
    }

    private RecordingException Damaged(in McapMessage segment, Exception? inner)
    {
        var what = $"{name}: the segment with sequence {segment.Sequence} is damaged";
        return inner is null ? new RecordingException(what) : new RecordingException($"{what}: {inner.Message}", inner);
    }
}
