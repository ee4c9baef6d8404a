using Abathur.Compression;

namespace Abathur.Columns.Tests;

/// <summary>Whole streams: what the decoder has after each frame is the observation.</summary>
public class ColumnsRoundTripTests
{
    /// <summary>Every frame is decoded, because it depends on the one before; one in so many is compared, which takes far longer.</summary>
    private const int ComparedEvery = 37;

    [SharedFact("sequences")]
    public void Sequences_EveryFrameToTheEnd_ComeBack()
    {
        if (!LibZstd.IsAvailable) return;
        foreach (var file in SequenceFile.Tested())
        {
            var random = new Random(1);
            var stream = new ColumnsStream();
            var i = 0;
            foreach (var observation in SequenceFile.Frames(file))
            {
                stream.Send(observation, random.Next(100) == 0);
                if (i < 10 || i % ComparedEvery == 0) stream.AssertIs(observation);
                i++;
            }
        }
    }

    [SharedFact("sequences")]
    public void Sequences_EveryEighthAndEvery22ndLoop_ComeBack()
    {
        if (!LibZstd.IsAvailable) return;
        foreach (var file in SequenceFile.Tested())
        {
            var frames = SequenceFile.Read(file, 600);
            foreach (var step in new[] { 8, 22 })
            {
                var stream = new ColumnsStream();
                for (var i = 0; i < frames.Count; i += step) stream.SendAndCompare(frames[i], i % 5 == 4);
            }
        }
    }

    [SharedFact("observations")]
    public void RealObservations_AsAStreamOfUnlikeFrames_ComeBack()
    {
        var all = Directory.GetFiles(SharedData.PathTo("observations"), "observation*.binpb", SearchOption.AllDirectories);
        var files = all.Order(StringComparer.Ordinal).ToArray();
        Assert.Equal(81, files.Length);
        var stream = new ColumnsStream();
        for (var i = 0; i < files.Length; i++) stream.SendAndCompare(File.ReadAllBytes(files[i]), i % 9 == 5);
        foreach (var file in files) new ColumnsStream().SendAndCompare(File.ReadAllBytes(file));
    }

    [Fact]
    public void GeneratedMatch_EveryFrame_ComesBack()
    {
        var random = new Random(2);
        var stream = new ColumnsStream();
        var i = 0;
        foreach (var frame in CommittedRecording.Observations())
        {
            stream.Send(frame, random.Next(50) == 0);
            if (i++ % 11 == 0) stream.AssertIs(frame);
        }
    }

    [Fact]
    public void GeneratedMatch_DeltaFrames_AreAHundredthOfTheObservation()
    {
        var stream = new ColumnsStream();
        var (plain, columns) = (0L, 0L);
        foreach (var frame in CommittedRecording.Observations().Take(400))
        {
            stream.Send(frame);
            if (stream.WasKeyframe) continue;
            plain += frame.Length;
            columns += stream.Payload.Length;
        }
        Assert.InRange(columns, 1, plain / 20);
    }
}
