using System.Globalization;
using System.Text;
using Abathur.Mcap;

namespace Abathur.Recordings;

/// <summary>Game loops of all frames of a recording and sizes of its segments, run-length coded: the metadata record
/// <c>abathur.segments</c>. It holds only for a file with so many frames. Not thread-safe.</summary>
/// <remarks>A run of loops is <c>FIRST+STEP*COUNT</c>: so many frames, of which each is the same number of game loops behind the one before
/// it. A run of segments is <c>COUNT*TIMES</c>: so many successive segments of the same number of frames.</remarks>
internal sealed class FrameRuns
{
    /// <summary>Name of the metadata record.</summary>
    public const string MetadataName = "abathur.segments";

    /// <summary>Runs of each kind. A recording with more has no record, so that memory is bounded: 2.4 MB.</summary>
    public const int MaxRuns = 100_000;

    private const string FramesKey = "frames", LoopsKey = "loops", SegmentsKey = "segments";

    private readonly List<Loops> _loops = [];
    private readonly List<Segments> _segments = [];
    private Loops _openLoops;
    private Segments _openSegments;
    private long _frames;
    private bool _tooMany;

    /// <summary>Adds the next frame of the file.</summary>
    public void AddFrame(uint gameLoop)
    {
        _frames++;
        if (_openLoops.TryExtend(gameLoop)) return;
        Keep(_loops, _openLoops, _openLoops.Count > 0);
        _openLoops = new Loops(gameLoop, 1, 1);
    }

    /// <summary>Adds the next segment of the file, with so many of the frames.</summary>
    public void AddSegment(int frames)
    {
        if (_openSegments.Frames == frames)
        {
            _openSegments = _openSegments with { Times = _openSegments.Times + 1 };
            return;
        }
        Keep(_segments, _openSegments, _openSegments.Times > 0);
        _openSegments = new Segments(frames, 1);
    }

    /// <summary>The record; null with too many runs.</summary>
    /// <param name="hasSegments">Whether the recording is compact.</param>
    public McapMetadata? ToMetadata(bool hasSegments)
    {
        if (_tooMany) return null;
        var values = new Dictionary<string, string>
        {
            [FramesKey] = _frames.ToString(CultureInfo.InvariantCulture),
            [LoopsKey] = Join(_loops, _openLoops, _openLoops.Count > 0),
        };
        if (hasSegments) values[SegmentsKey] = Join(_segments, _openSegments, _openSegments.Times > 0);
        return new McapMetadata(MetadataName, values);
    }

    private void Keep<T>(List<T> runs, T run, bool isRun)
    {
        if (!isRun || _tooMany) return;
        // With the run that begins now.
        if (runs.Count + 1 < MaxRuns)
        {
            runs.Add(run);
            return;
        }
        _tooMany = true;
        _loops.Clear();
        _loops.Capacity = 0;
        _segments.Clear();
        _segments.Capacity = 0;
    }

    private static string Join<T>(List<T> runs, T last, bool hasLast)
    {
        var text = new StringBuilder();
        foreach (var run in runs) text.Append(CultureInfo.InvariantCulture, $"{run} ");
        if (hasLast) text.Append(CultureInfo.InvariantCulture, $"{last}");
        return text.ToString();
    }

    private record struct Loops(uint First, uint Step, uint Count)
    {
        /// <summary>Whether a frame at this game loop belongs to the run. The second frame gives the step.</summary>
        public bool TryExtend(uint gameLoop)
        {
            if (Count == 0) return false;
            var step = gameLoop - (First + (long)Step * (Count - 1));
            if (step < 0 || (Count > 1 && step != Step)) return false;
            Step = (uint)step;
            Count++;
            return true;
        }

        public override readonly string ToString() => string.Create(CultureInfo.InvariantCulture, $"{First}+{Step}*{Count}");
    }

    private readonly record struct Segments(int Frames, long Times)
    {
        public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Frames}*{Times}");
    }
}
