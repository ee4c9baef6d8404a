using Abathur.Mcap;

namespace Abathur.Recordings.Tests;

/// <summary>The work of reading a compact recording is bounded, and ends when it is cancelled.</summary>
public class CompactBombTests
{
    // Some 2 MB a frame.
    private const int Units = 20_000;

    [Fact]
    public void Open_SegmentOfManyLargeFrames_IsRefused()
    {
        var file = CompactBomb.Write(segments: 1, frames: 200_000, Units);
        Assert.InRange(file.Length, 0, 100_000);
        var e = Assert.Throws<RecordingException>(() => RecordingSample.Open(file));
        Assert.Contains("the frames of a segment take more than 1073741824 bytes after decoding", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_ManySegmentsOfLargeFrames_EndsAtTheBoundOfTheFile()
    {
        // The last segment, which is read first, is within its bound.
        var file = CompactBomb.Write(segments: 100, frames: 50, Units);
        Assert.InRange(file.Length, 0, 200_000);
        using var reader = RecordingSample.Open(file);
        Assert.Equal(5000, reader.FrameCount);
        var frames = 0;
        var e = Assert.Throws<RecordingException>(() =>
        {
            while (reader.ReadNext(out _)) frames++;
        });
        Assert.Contains("after decoding, which no recording of a match does", e.Message, StringComparison.Ordinal);
        Assert.InRange(frames, 500, 4999);
        // What is read again is counted again.
        reader.Rewind();
        Assert.True(reader.ReadNext(out _));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Open_ListsThatAreLongerThanTheFrames_AreRefusedBeforeTheyAreRead(int list)
    {
        var file = CompactBomb.Write(segments: 1, frames: 3, units: 1, segment =>
        {
            for (var each = 0; each < 3_000_000; each++)
            {
                if (list == 0) segment.Payloads.Add(Google.Protobuf.ByteString.Empty);
                else (list == 1 ? segment.GameLoopSteps : segment.LogTimeSteps).Add(0);
            }
        });
        var e = Assert.Throws<RecordingException>(() => RecordingSample.Open(file));
        Assert.Contains(list == 0 ? "it has 3000003 frames" : "its lists are longer than its frames", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_Cancelled_Ends()
    {
        var file = CompactBomb.Write(segments: 2, frames: 50, Units);
        using var cancelled = new CancellationTokenSource();
        var options = new McapReaderOptions { CancellationToken = cancelled.Token };
        using var reader = new RecordingReader(new McapReader(new MemoryStream(file), options));
        Assert.True(reader.ReadNext(out _));
        cancelled.Cancel();
        Assert.Throws<OperationCanceledException>(() => reader.ReadNext(out _));
        Assert.Throws<OperationCanceledException>(() => new RecordingReader(new McapReader(new MemoryStream(file), options)));
    }

    [Fact]
    public void Read_AMatchInWhichNothingHappens_IsFarFromTheBound()
    {
        var frames = Enumerable.Range(0, 20_000).Select(loop => (uint)loop);
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(output, RecordingSample.Match, new RecordingOptions { Compact = true }, leaveOpen: true))
            foreach (var loop in frames) writer.WriteObservation(loop, loop, RecordingSample.Observation(7, bytes: 20_000));
        using var reader = RecordingSample.Open(output.ToArray());
        Assert.Equal(20_000, RecordingSample.ReadLoops(reader).Count);
    }
}
