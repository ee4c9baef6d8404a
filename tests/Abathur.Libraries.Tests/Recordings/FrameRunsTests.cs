using Abathur.Recordings.Conversion;

namespace Abathur.Recordings.Tests;

/// <summary>The metadata record <c>abathur.segments</c>: game loops of all frames and sizes of segments.</summary>
public class FrameRunsTests
{
    private const string Name = "abathur.segments";
    private static readonly RecordingOptions Full = new() { ChunkSizeBytes = 4096 };
    private static readonly RecordingOptions Compact = Full with { Compact = true };

    [Theory]
    [InlineData("0 1 2 3", "0+1*4")]
    [InlineData("7", "7+1*1")]
    [InlineData("", "")]
    [InlineData("0 22 44 66", "0+22*4")]
    [InlineData("5 5 5", "5+0*3")]
    // A step belongs to the run that it began in: greedy, from the first frame on.
    [InlineData("0 5 6 7 8", "0+5*2 6+1*3")]
    [InlineData("0 1 2 5390 5392 5394", "0+1*3 5390+2*3")]
    [InlineData("3 4 5 0 1 2", "3+1*3 0+1*3")]
    [InlineData("9 8 7", "9+1*1 8+1*1 7+1*1")]
    [InlineData("0 4294967295 4294967294", "0+4294967295*2 4294967294+1*1")]
    public void Close_Loops_AreRunLengthCoded(string loops, string expected)
    {
        foreach (var options in (RecordingOptions[])[Full, Compact])
        {
            var numbers = loops.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(uint.Parse).ToArray();
            var record = Read(Write(numbers, options))!;
            Assert.Equal((expected, $"{numbers.Length}"), (record["loops"], record["frames"]));
            Assert.Equal(numbers, LoopsOf(record));
        }
    }

    [Fact]
    public void Close_FullRecording_HasNoSegments() =>
        Assert.Equal(["frames", "loops"], Read(Write([0, 1, 2], Full))!.Keys.Order());

    [Fact]
    public void Close_CompactRecording_HasTheFramesOfEachSegment()
    {
        var file = Write(Enumerable.Range(0, 100).Select(loop => (uint)loop), Compact);
        var sizes = SegmentsIn(file);
        Assert.True(sizes.Count > 3, "one segment shows nothing");
        Assert.Equal(sizes, SegmentsOf(Read(file)!));
        // All but the last are alike, and one run.
        Assert.Equal($"{sizes[0]}*{sizes.Count - 1} {sizes[^1]}*1", Read(file)!["segments"]);
        Assert.Equal("", Read(Write([], Compact))!["segments"]);
    }

    [Fact]
    public void Close_BothTopics_HasAllFramesInTheOrderOfTheFile()
    {
        byte[] damaged = [0x0a, 0xff];
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(output, RecordingSample.Match, Compact with { ChunkSizeBytes = 1 << 20 }, leaveOpen: true))
        {
            for (var loop = 0u; loop < 30; loop++)
            {
                writer.WriteObservation(loop * 2, loop, loop is 10 or 11 or 29 ? damaged : RecordingSample.Observation(loop));
                if (loop is 15 or 20) writer.Flush();
            }
        }
        var record = Read(output.ToArray())!;
        Assert.Equal(("30", "0+2*30", "10*1 4*1 5*1 8*1"), (record["frames"], record["loops"], record["segments"]));
        Assert.Equal(SegmentsIn(output.ToArray()), SegmentsOf(record));
    }

    [Fact]
    public void Close_AnyRecording_GivesTheLoopsThatAreReadFromIt()
    {
        for (var seed = 0; seed < 60; seed++)
        {
            var random = new Random(seed);
            var loop = 0L;
            var loops = new List<uint>();
            for (var i = random.Next(300); i > 0; i--)
            {
                loop = Math.Max(0, loop + (random.Next(4) == 0 ? random.Next(-5, 30) : seed % 3));
                loops.Add((uint)loop);
            }
            foreach (var options in (RecordingOptions[])[Full, Compact])
            {
                var file = Write(loops, options);
                var record = Read(file)!;
                Assert.Equal(loops, LoopsOf(record));
                if (options.Compact) Assert.Equal(SegmentsIn(file), SegmentsOf(record));
            }
        }
    }

    [Fact]
    public void Close_MoreThanTheMostRuns_WritesNoRecord()
    {
        // Backwards: each frame is a run.
        Assert.NotNull(Read(WriteTiny(FrameRuns.MaxRuns)));
        Assert.Null(Read(WriteTiny(FrameRuns.MaxRuns + 1)));
    }

    [Fact]
    public void AddFrame_SameStep_AllocatesNothing()
    {
        var runs = new FrameRuns();
        var loop = 0u;
        for (; loop < 100; loop++) runs.AddFrame(loop);
        runs.AddSegment(100);
        Allocated.AtMost(0, () =>
        {
            for (var end = loop + 10_000; loop < end; loop++)
            {
                runs.AddFrame(loop);
                if (loop % 100 == 0) runs.AddSegment(100);
            }
        });
    }

    [Fact]
    public void Rewrite_PartInOtherForm_HasARecordOfItsOwn()
    {
        var full = Write(Enumerable.Range(0, 60).Select(loop => (uint)loop), Full);
        var compact = Rewrite(full, Compact, 10, 50);
        Assert.Equal(("40", "10+1*40"), (Read(compact)!["frames"], Read(compact)!["loops"]));
        Assert.Equal(SegmentsIn(compact), SegmentsOf(Read(compact)!));
        var back = Rewrite(compact, Full, 20, 30);
        Assert.Equal(("10", "20+1*10"), (Read(back)!["frames"], Read(back)!["loops"]));
        Assert.DoesNotContain("segments", Read(back)!.Keys);
    }

    [Fact]
    public void Import_Observations_HasARecord()
    {
        using var folder = new TemporaryFolder();
        for (var loop = 0u; loop < 5; loop++)
            File.WriteAllBytes(folder.PathTo($"observation-{loop}.binpb"), RecordingSample.Observation(loop * 3));
        var path = folder.PathTo("match.mcap");
        RecordingImporter.Import(ImportInput.FromFolder(folder.Path), path, new ImportOptions { StartTimeUnixNs = 1 });
        Assert.Equal(("5", "0+3*5"), (Read(File.ReadAllBytes(path))!["frames"], Read(File.ReadAllBytes(path))!["loops"]));
    }

    /// <summary>A recovered file has the record of its input: none of a killed run, one that does not hold where frames are
    /// lost.</summary>
    [Fact]
    public void Recover_CutOrDamagedFile_HasNoRecordThatHolds()
    {
        using var folder = new TemporaryFolder();
        foreach (var options in (RecordingOptions[])[Full, Compact])
        {
            var file = Write(Enumerable.Range(0, 100).Select(loop => (uint)loop), options);
            int end;
            using (var reader = RecordingSample.Open(file))
            {
                var index = reader.Mcap.Chunks[^2];
                end = (int)(index.ChunkStartOffset + index.ChunkLength);
            }
            Assert.Null(Recover(folder, file[..end]).Record);
            file[end - 1] ^= 0x55;
            var (frames, damaged) = Recover(folder, file);
            Assert.InRange(frames, 1, 99);
            Assert.Equal("100", damaged!["frames"]);
        }
    }

    private static (long Frames, IReadOnlyDictionary<string, string>? Record) Recover(TemporaryFolder folder, byte[] damaged)
    {
        File.WriteAllBytes(folder.PathTo("a.mcap"), damaged);
        RecordingRecovery.Recover(folder.PathTo("a.mcap"), folder.PathTo("b.mcap"), overwrite: true);
        using var reader = RecordingReader.Open(folder.PathTo("b.mcap"));
        return (reader.FrameCount, Read(File.ReadAllBytes(folder.PathTo("b.mcap"))));
    }

    private static byte[] Write(IEnumerable<uint> loops, RecordingOptions options)
    {
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(output, RecordingSample.Match, options, leaveOpen: true))
        {
            var captured = 0L;
            foreach (var loop in loops) writer.WriteObservation(loop, captured++, RecordingSample.Observation(loop));
        }
        return output.ToArray();
    }

    private static byte[] WriteTiny(int frames)
    {
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(output, RecordingSample.Match, leaveOpen: true))
        {
            for (var i = 0; i < frames; i++) writer.WriteObservation((uint)(frames - i), i, default(ReadOnlySpan<byte>));
        }
        return output.ToArray();
    }

    private static byte[] Rewrite(byte[] file, RecordingOptions options, uint start, uint stop)
    {
        using var reader = RecordingSample.Open(file);
        using var output = new MemoryStream();
        RecordingRewriter.Rewrite(reader, output, options, start, stop);
        return output.ToArray();
    }

    /// <summary>The record; null without one.</summary>
    private static IReadOnlyDictionary<string, string>? Read(byte[] file)
    {
        using var reader = RecordingSample.Open(file);
        var index = reader.Mcap.Metadata.SingleOrDefault(each => each.Name == Name);
        return index is null ? null : reader.Mcap.ReadMetadata(index).Values;
    }

    private static List<uint> LoopsOf(IReadOnlyDictionary<string, string> record)
    {
        var loops = new List<uint>();
        foreach (var run in record["loops"].Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            var numbers = run.Split('+', '*').Select(uint.Parse).ToArray();
            for (var i = 0u; i < numbers[2]; i++) loops.Add(numbers[0] + i * numbers[1]);
        }
        return loops;
    }

    private static List<int> SegmentsOf(IReadOnlyDictionary<string, string> record)
    {
        var sizes = new List<int>();
        foreach (var run in record["segments"].Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            var numbers = run.Split('*').Select(int.Parse).ToArray();
            sizes.AddRange(Enumerable.Repeat(numbers[0], numbers[1]));
        }
        return sizes;
    }

    private static List<int> SegmentsIn(byte[] file)
    {
        using var reader = RecordingSample.Open(file);
        using var messages = reader.Mcap.ReadMessages();
        var sizes = new List<int>();
        while (messages.MoveNext())
        {
            if (reader.Mcap.Channels[messages.Current.ChannelId].Topic == RecordingTopics.Columns)
                sizes.Add(Abathur.Sync.V1.ColumnsSegment.Parser.ParseFrom(messages.Current.Data.Span).Payloads.Count);
        }
        return sizes;
    }
}
