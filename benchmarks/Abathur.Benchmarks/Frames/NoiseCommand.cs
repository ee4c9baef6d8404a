using Abathur.Benchmarks.Match;
using Abathur.Mcap;
using Abathur.Recordings;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Benchmarks;

/// <summary><c>noise IN OUT [SEED]</c>: writes the observations of a recording again, with <see cref="MotionNoise"/>.</summary>
internal static class NoiseCommand
{
    /// <summary>Runs the command line. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a recording that cannot be read.</summary>
    public static int Invoke(string[] args, TextWriter output, TextWriter error)
    {
        var seed = 1;
        if (args is not [var input, var target, .. var rest] || rest.Length > 1 || (rest is [var last] && !int.TryParse(last, out seed)))
        {
            error.WriteLine("noise: usage: noise IN OUT [SEED]");
            return 2;
        }
        try
        {
            if (Path.GetFullPath(input) == Path.GetFullPath(target))
            {
                error.WriteLine($"noise: {target} is the input");
                return 2;
            }
            using var frames = RecordedFrames.Open(input);
            Write(frames, target, seed, output);
            return 0;
        }
        catch (Exception e) when (e is McapException or RecordingException or InvalidDataException or InvalidProtocolBufferException)
        {
            error.WriteLine($"noise: {e.Message}");
            return 3;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            error.WriteLine($"noise: {e.Message}");
            return 1;
        }
    }

    private static void Write(RecordedFrames frames, string target, int seed, TextWriter output)
    {
        var noise = new MotionNoise(seed);
        // First beside it, so that a run that is ended leaves nothing that looks whole.
        var partial = $"{target}.partial";
        long changed = 0;
        var match = frames.Match with { MatchId = $"{frames.Match.MatchId}-noisy", Simulated = true };
        using (var writer = RecordingWriter.Create(partial, match))
        {
            foreach (var (_, observation) in frames.Read([.. Enumerable.Range(0, frames.Count)]))
            {
                var frame = ResponseObservation.Parser.ParseFrom(observation);
                changed += noise.Apply(frame);
                writer.WriteObservation(frame.Observation.GameLoop, 0, frame.ToByteArray());
            }
            writer.Close();
        }
        File.Move(partial, target, overwrite: true);
        output.WriteLine($"{target}: {frames.Count:N0} frames, {(double)changed / frames.Count:N1} units changed a frame");
    }
}
