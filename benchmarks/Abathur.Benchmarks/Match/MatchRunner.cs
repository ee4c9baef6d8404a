using System.Diagnostics;
using Abathur.Benchmarks.Codecs;

namespace Abathur.Benchmarks.Match;

/// <summary>Runs codecs over the frames of a recording: estimate, check, warm-up, rounds.</summary>
/// <remarks>
/// The garbage of one codec is collected before the next one starts, so that none pays for another. Garbage collections that a codec causes
/// while it is timed are part of its figures: they fall into the timed sections as often as these allocate, also where the making of source
/// objects, which is not timed, has filled the heap.
/// </remarks>
internal sealed class MatchRunner(MatchOptions options, RecordedFrames frames, IReadOnlyList<CodecRun> runs, IMatchProgress progress)
{
    private const int PilotFrames = 8;
    private const int MinFramesOfBudget = 10;
    private const int WarmUpOperations = 64;
    private static readonly TimeSpan WarmUpTime = TimeSpan.FromMilliseconds(800);
    private static readonly TimeSpan MaxWarmUpTime = TimeSpan.FromSeconds(4);
    private readonly Dictionary<CodecRun, double> _secondsPerFrame = [];
    private readonly long _started = Stopwatch.GetTimestamp();
    private double _done, _total;
    private int _pilotBytes;

    /// <summary>Whether it was cancelled: what had been measured by then is kept.</summary>
    public bool Interrupted { get; private set; }

    /// <summary>Number of frames that a codec without a share to keep to takes.</summary>
    public int FrameCount { get; private set; }

    /// <summary>Does it all.</summary>
    /// <exception cref="Abathur.Mcap.McapException">The recording is damaged further on.</exception>
    public void Run(CancellationToken cancellationToken)
    {
        try
        {
            var chosen = RecordedFrames.EvenlySpaced(frames.Count, options.Frames ?? frames.Count);
            FrameCount = chosen.Length;
            WarmUpAndEstimate(chosen, cancellationToken);
            ShareOut(options.Budget is null ? chosen : KeepInMemory(chosen, cancellationToken));
            foreach (var run in runs) Check(run, cancellationToken);
            var random = new Random(options.Seed);
            for (var round = 1; round <= options.Rounds; round++)
            {
                var order = runs.Where(run => run.Failure is null).ToArray();
                random.Shuffle(order);
                foreach (var run in order) Time(run, round, cancellationToken);
            }
        }
        catch (OperationCanceledException)
        {
            Interrupted = true;
        }
    }

    /// <summary>Evenly spaced frames that fit into memory, read: under a budget no time is spent on reading the file for each
    /// codec.</summary>
    private int[] KeepInMemory(int[] chosen, CancellationToken cancellationToken)
    {
        var fitting = (int)Math.Max(1, RecordedFrames.MaxKeptBytes / _pilotBytes);
        int[] kept = [.. RecordedFrames.EvenlySpaced(chosen.Length, fitting).Select(i => chosen[i])];
        foreach (var _ in frames.Read(kept)) cancellationToken.ThrowIfCancellationRequested();
        return kept;
    }

    /// <summary>
    /// Runs each codec on a few frames until the JIT compiler has had its way with it (64 operations of each kind and 0.8 s, at most 4 s),
    /// then takes the time of a frame. Under a budget all of this takes at most a third of it, where 0.8 s each leave the choice.
    /// </summary>
    private void WarmUpAndEstimate(int[] chosen, CancellationToken cancellationToken)
    {
        var numbers = RecordedFrames.EvenlySpaced(chosen.Length, PilotFrames).Select(i => chosen[i]).ToArray();
        var pilot = frames.Read(numbers).Select(frame => frame.Observation).ToArray();
        _pilotBytes = pilot.Max(observation => observation.Length);
        var longest = options.Budget is { } budget && budget / (3 * runs.Count) is var share && share < MaxWarmUpTime
            ? share
            : MaxWarmUpTime;
        foreach (var run in runs)
        {
            progress.Report($"warming up {run.Name}", 0, 0);
            run.Failure = pilot.Select(
                observation => CodecCheck.Run(run.Codec, observation).Problem).FirstOrDefault(problem => problem is not null);
            if (run.Failure is not null) continue;
            var start = Stopwatch.GetTimestamp();
            for (var i = 0; ; i++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                FrameSample.Take(run.Codec, pilot[i % pilot.Length]);
                var elapsed = Stopwatch.GetElapsedTime(start);
                if ((elapsed > longest && elapsed > WarmUpTime) || (i >= WarmUpOperations && elapsed > WarmUpTime)) break;
            }
            start = Stopwatch.GetTimestamp();
            foreach (var observation in pilot) CodecCheck.Run(run.Codec, observation);
            var check = Stopwatch.GetElapsedTime(start);
            start = Stopwatch.GetTimestamp();
            foreach (var observation in pilot) FrameSample.Take(run.Codec, observation);
            _secondsPerFrame[run] = (check + Stopwatch.GetElapsedTime(start) * options.Rounds).TotalSeconds / pilot.Length;
        }
    }

    /// <summary>Gives each codec its frames: all that were chosen, or as many as its share of the budget holds.</summary>
    private void ShareOut(int[] chosen)
    {
        var left = options.Budget is { } budget ? (budget - Stopwatch.GetElapsedTime(_started)).TotalSeconds : double.PositiveInfinity;
        var open = _secondsPerFrame.Count;
        foreach (var (run, seconds) in _secondsPerFrame.OrderBy(each => each.Value))
        {
            var fitting = Math.Max(left, 0) / open-- / seconds;
            // Streams are read from the file, not from memory.
            var most = run.Codec.IsStream ? FrameCount : chosen.Length;
            var count = fitting >= most ? most : Math.Max((int)fitting, Math.Min(MinFramesOfBudget, most));
            run.Frames = run.Codec.IsStream
                ? RecordedFrames.AlongKeyframes(frames.Count, count, StreamCodec.KeyframeInterval)
                : [.. RecordedFrames.EvenlySpaced(chosen.Length, count).Select(i => chosen[i])];
            left -= count * seconds;
            _total += count * seconds;
        }
    }

    private void Check(CodecRun run, CancellationToken cancellationToken)
    {
        foreach (var (number, observation) in InOrder(run))
        {
            cancellationToken.ThrowIfCancellationRequested();
            var check = CodecCheck.Run(run.Codec, observation);
            if (check.Problem is not null) run.Failure = $"frame {number}: {check.Problem}";
            if (run.Failure is not null) return;
            if (check.LostUnknownFields) run.FramesWithoutUnknownFields++;
            run.Bytes[number] = check.Bytes;
            if (run.Codec is { IsStream: true, IsKeyframe: true }) run.Keyframes.Add(check.Bytes);
            Advance($"checking {run.Name}", run);
        }
    }

    private void Time(CodecRun run, int round, CancellationToken cancellationToken)
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        run.StartRound();
        var isFirst = true;
        foreach (var (_, observation) in InOrder(run))
        {
            cancellationToken.ThrowIfCancellationRequested();
            // Caches are filled with this codec's code and tables by one frame that does not count. A stream has been encoding.
            if (isFirst && !run.Codec.IsStream) FrameSample.Take(run.Codec, observation);
            isFirst = false;
            run.Add(FrameSample.Take(run.Codec, observation));
            Advance(options.Rounds == 1 ? $"timing {run.Name}" : $"round {round} of {options.Rounds}: timing {run.Name}", run);
        }
    }

    /// <summary>The frames of a codec. A stream is encoded from its first frame on: what it sends depends on all before.</summary>
    private IEnumerable<(int Number, byte[] Observation)> InOrder(CodecRun run)
    {
        if (!run.Codec.IsStream)
        {
            foreach (var frame in frames.Read(run.Frames)) yield return frame;
            yield break;
        }
        run.Codec.Restart();
        var next = 0;
        foreach (var frame in frames.ReadUntil(run.Frames[^1]))
        {
            if (frame.Number != run.Frames[next])
            {
                run.Codec.Encode(run.Codec.Prepare(frame.Observation));
                continue;
            }
            next++;
            yield return frame;
        }
    }

    private void Advance(string what, CodecRun run)
    {
        // The check and each round count the same: near enough for a bar.
        _done += _secondsPerFrame[run] / (1 + options.Rounds);
        progress.Report(what, _done, _total);
    }
}
