using System.Buffers;
using Abathur.Columns;
using Abathur.Columns.Tables;
using Abathur.Mcap;
using Abathur.Protobuf.Wire;
using Abathur.Sc2;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Recordings;

/// <summary>The frames of one segment after another, of one file. Observations are built only if they are asked for. Not
/// thread-safe.</summary>
/// <param name="mcap">The file.</param>
internal sealed class SegmentFrames(McapReader mcap)
{
    // Of a frame, besides its payload: tags, a length, and the steps of its game loop and its time.
    private const int MaxOtherBytesPerFrame = 32;

    private static readonly TableId[] Tables = Enum.GetValues<TableId>();
    private static readonly BlobId[] Blobs = Enum.GetValues<BlobId>();
    private readonly CancellationToken _cancellation = mcap.Options.CancellationToken;
    private readonly DecodingBudget _budget = new(mcap.Name, mcap.FileBytes);
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

    /// <summary>Reading begins at another place of the file.</summary>
    public void Restart()
    {
        Clear();
        _budget.Restart();
    }

    /// <summary>Begins another segment.</summary>
    /// <exception cref="RecordingException">It is not a segment.</exception>
    public void Load(in McapMessage segment)
    {
        Clear();
        _budget.BeginSegment();
        _head = segment with { Data = default };
        _segment = Parse(segment);
        (_gameLoop, _logTime) = (GameTime.ToGameLoop(segment.PublishTime), (long)segment.LogTime);
    }

    private void Clear()
    {
        _segment = new ColumnsSegment();
        _next = 0;
        Current = default;
    }

    /// <summary>Moves to the next frame, which must exist.</summary>
    /// <exception cref="RecordingException">It is damaged, or the frames take too much work.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public void MoveNext()
    {
        _cancellation.ThrowIfCancellationRequested();
        var (gameLoop, logTime) = Next ?? throw new InvalidOperationException("There is no next frame.");
        try
        {
            _decoder.Decode(_segment.Payloads[_next].Span);
        }
        catch (InvalidDataException e)
        {
            throw Damaged(_head, e);
        }
        _budget.Take(BytesOfTables());
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
            Check(message);
            var segment = ColumnsSegment.Parser.ParseFrom(message.Data.Span);
            var frames = segment.Payloads.Count;
            if (segment.GameLoopSteps.Count == frames && segment.LogTimeSteps.Count == frames) return segment;
        }
        catch (Exception e) when (e is InvalidProtocolBufferException or InvalidDataException)
        {
            throw Damaged(message, e);
        }
        throw Damaged(message, null);
    }

    /// <summary>Refuses a segment with more frames, or longer lists, than it may have, before memory is allocated for them.</summary>
    private static void Check(in McapMessage message)
    {
        var reader = new WireReader(message.Data.Span);
        var (frames, payloadBytes) = (0L, 0L);
        while (reader.ReadTag())
        {
            var start = reader.Position;
            reader.SkipValue();
            if (reader.FieldNumber != ColumnsSegment.PayloadsFieldNumber) continue;
            frames++;
            payloadBytes += reader.Position - start;
        }
        if (frames > DecodingBudget.MaxSegmentBytes / DecodingBudget.FrameBytes) throw new InvalidDataException($"it has {frames} frames");
        if (message.Data.Length - payloadBytes > (frames + 1) * MaxOtherBytesPerFrame)
            throw new InvalidDataException("its lists are longer than its frames");
    }

    /// <summary>About the bytes of the observation that the tables are.</summary>
    private long BytesOfTables()
    {
        var bytes = 0L;
        foreach (var id in Tables)
        {
            var table = _decoder.Table(id);
            bytes += 2L * table.Rows * table.Columns;
        }
        foreach (var id in Blobs)
        {
            if (_decoder.TryGetBlob(id, out var blob)) bytes += blob.Length;
        }
        return bytes;
    }

    private RecordingException Damaged(in McapMessage segment, Exception? inner)
    {
        var what = $"{mcap.Name}: the segment with sequence {segment.Sequence} is damaged";
        return inner is null ? new RecordingException(what) : new RecordingException($"{what}: {inner.Message}", inner);
    }
}
