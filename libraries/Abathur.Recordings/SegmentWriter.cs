using System.Buffers;
using Abathur.Columns;
using Abathur.Mcap;
using Abathur.Protobuf.Wire;
using Abathur.Sc2;
using Abathur.Sync.V1;

namespace Abathur.Recordings;

/// <summary>Collects observations as columns and writes them as messages of <see cref="RecordingTopics.Columns"/>, each in a chunk of its
/// own. Not thread-safe.</summary>
/// <param name="mcap">The file.</param>
/// <param name="maxBytes">Bytes of the observations, before they are encoded, at which a segment is written.</param>
/// <param name="runs">Told the frames of each segment that was written.</param>
internal sealed class SegmentWriter(McapWriter mcap, int maxBytes, FrameRuns runs)
{
    private readonly ColumnsEncoder _encoder = new();
    private readonly ArrayBufferWriter<byte> _payload = new();
    // A serialized ColumnsSegment, written as its frames come.
    private readonly WireWriter _message = new();
    private readonly WireWriter _gameLoopSteps = new(), _logTimeSteps = new();
    private long _bytes;
    private uint _firstSequence;
    private (uint GameLoop, long CapturedUnixNs) _first, _last;

    /// <summary>Segments that were written.</summary>
    public long Segments { get; private set; }

    /// <summary>Frames of the open segment.</summary>
    public int Frames { get; private set; }

    /// <summary>When the last frame of the open segment was captured; null without one.</summary>
    public long? LastCapturedUnixNs => Frames == 0 ? null : _last.CapturedUnixNs;

    /// <summary>Frames in segments that are in the file.</summary>
    public long FramesWritten { get; private set; }

    /// <summary>Adds an observation. False if it cannot be encoded: then it must be stored in another way, after
    /// <see cref="Write"/>.</summary>
    /// <param name="sequence">Its number in the recording.</param>
    /// <param name="gameLoop">Its game loop.</param>
    /// <param name="capturedUnixNs">When it was captured, in nanoseconds since 1970-01-01 UTC.</param>
    /// <param name="observation">A serialized <c>ResponseObservation</c>.</param>
    public bool TryAdd(uint sequence, uint gameLoop, long capturedUnixNs, ReadOnlySpan<byte> observation)
    {
        _payload.ResetWrittenCount();
        try
        {
            _encoder.Encode(observation, keyframe: Frames == 0, _payload);
        }
        catch (InvalidDataException)
        {
            return false;
        }
        if (Frames == 0)
        {
            _firstSequence = sequence;
            _first = _last = (gameLoop, capturedUnixNs);
        }
        _message.WriteBytes(ColumnsSegment.PayloadsFieldNumber, _payload.WrittenSpan);
        _gameLoopSteps.WriteVarint(ZigZag.Encode((long)gameLoop - _last.GameLoop));
        _logTimeSteps.WriteVarint(ZigZag.Encode(capturedUnixNs - _last.CapturedUnixNs));
        _last = (gameLoop, capturedUnixNs);
        _bytes += observation.Length;
        Frames++;
        return true;
    }

    /// <summary>Whether the segment has all the bytes that it may have.</summary>
    public bool IsFull => _bytes >= maxBytes;

    /// <summary>Writes the open segment, and ends its chunk.</summary>
    /// <param name="channel">The channel of segments.</param>
    /// <exception cref="IOException">The write failed.</exception>
    public void Write(ushort channel)
    {
        if (Frames == 0) return;
        _message.WriteBytes(ColumnsSegment.GameLoopStepsFieldNumber, _gameLoopSteps.WrittenSpan);
        _message.WriteBytes(ColumnsSegment.LogTimeStepsFieldNumber, _logTimeSteps.WrittenSpan);
        mcap.WriteMessage(
            channel, _firstSequence, (ulong)_first.CapturedUnixNs, GameTime.ToNanoseconds(_first.GameLoop), _message.WrittenSpan);
        mcap.Flush();
        FramesWritten += Frames;
        Segments++;
        runs.AddSegment(Frames);
        foreach (var written in (ReadOnlySpan<WireWriter>)[_message, _gameLoopSteps, _logTimeSteps]) written.Clear();
        (Frames, _bytes) = (0, 0);
    }
}
