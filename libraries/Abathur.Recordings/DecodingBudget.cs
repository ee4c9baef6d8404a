namespace Abathur.Recordings;

/// <summary>
/// Bounds the work of decoding segments, which may have a frame of megabytes in each few bytes. Frames count as the bytes of their tables,
/// which are about those of the observation. Not thread-safe.
/// </summary>
/// <param name="name">Name of the file, for errors.</param>
/// <param name="fileBytes">Bytes of the file.</param>
internal sealed class DecodingBudget(string name, long fileBytes)
{
    /// <summary>For the frames of one segment: four times the largest chunk.</summary>
    public const long MaxSegmentBytes = 1024 * 1024 * 1024;

    /// <summary>At least this much a frame.</summary>
    public const int FrameBytes = 1024;

    // For the frames from one place of the file on. A match in which nothing happens has some 3,000 bytes for each of the file.
    private const long BytesForEachOfTheFile = 10_000;
    private long _segment, _all;

    /// <summary>Bytes for all frames that are read after each other.</summary>
    public long MaxBytes { get; } = 2 * MaxSegmentBytes + BytesForEachOfTheFile * fileBytes;

    /// <summary>Reading begins at another place.</summary>
    public void Restart() => _all = 0;

    /// <summary>A segment begins.</summary>
    public void BeginSegment() => _segment = 0;

    /// <summary>A frame was decoded.</summary>
    /// <exception cref="RecordingException">The frames take too much.</exception>
    public void Take(long bytes)
    {
        bytes = Math.Max(bytes, FrameBytes);
        (_segment, _all) = (_segment + bytes, _all + bytes);
        if (_segment > MaxSegmentBytes) throw TooMuch("the frames of a segment", MaxSegmentBytes);
        if (_all > MaxBytes) throw TooMuch($"the frames of its {fileBytes} bytes", MaxBytes);
    }

    private RecordingException TooMuch(string what, long limit) =>
        new($"{name}: {what} take more than {limit} bytes after decoding, which no recording of a match does");
}
