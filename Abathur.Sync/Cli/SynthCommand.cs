using System.CommandLine;
using System.Globalization;
using Abathur.Recordings;
using Abathur.Recordings.Delimited;
using Abathur.Recordings.Files;
using Abathur.Sync.Matches.Recording;
using Abathur.Synth;

namespace Abathur.Sync.Cli;

/// <summary><c>synth -o FILE</c>: writes a simulated match, as a recording or as length-delimited observations.</summary>
internal static class SynthCommand
{
    private const string DelimitedExtension = ".obs";

    public static Command Create()
    {
        var preset = new Option<string>("--preset")
        {
            Description = "skirmish: 60 s with a fight; elite: a whole match in large frames",
            DefaultValueFactory = _ => "skirmish",
        };
        preset.OneOf("skirmish", "elite");
        var seed = new Option<ulong?>("--seed") { Description = "Start of the random sequence (default: the preset's)", HelpName = "N" };
        var steps = new Option<int?>("--steps") { Description = "Frames to make (default: the preset's)", HelpName = "N" };
        steps.Must(count => count is null or (>= 1 and <= 1_000_000), "--steps must be 1 to 1000000.");
        var output = new Option<string>("--output", "-o")
        {
            Description =
                $"The recording to write; a name that ends in {DelimitedExtension}, or - (standard output): length-delimited observations",
            HelpName = "OUT",
            Required = true,
        };
        var compact = RecordOptionSet.CreateCompact();
        var force = new Option<bool>("--force", "-f") { Description = "Replace the output if it exists" };
        var command = new Command("synth", "Simulate a match and record it") { preset, seed, steps, output, compact, force };
        command.SetAction((parsed, cancellationToken) =>
        {
            var name = parsed.GetValue(preset)!;
            var chosen = name == "elite" ? SynthOptions.Elite : SynthOptions.Skirmish;
            var options = chosen with { Seed = parsed.GetValue(seed) ?? chosen.Seed, Steps = parsed.GetValue(steps) ?? chosen.Steps };
            var path = parsed.GetRequiredValue(output);
            var report = parsed.InvocationConfiguration.Error;
            return LongTask.RunAsync(
                () => Run(
                    options, new RecordingOptions { Compact = parsed.GetValue(compact) }, $"{name}-{options.Seed}", path,
                    parsed.GetValue(force), report, cancellationToken),
                report);
        });
        return command;
    }

    private static int Run(
        SynthOptions options, RecordingOptions recording, string matchId, string path, bool force, TextWriter report,
        CancellationToken cancellationToken)
    {
        var generator = new MatchGenerator(options);
        if (path == StandardStreams.Dash)
        {
            using var stream = StandardStreams.OpenOutput();
            WriteDelimited(Frames(), stream);
            return ExitCode.Ok;
        }
        using var file = new OutputFile(path, new OutputOptions { Overwrite = force, OnKilledRun = RecoverCommandLine.TellTo(report) });
        var frames = path.EndsWith(DelimitedExtension, StringComparison.OrdinalIgnoreCase)
            ? WriteDelimited(Frames(), file.Stream)
            : WriteRecording(Frames(), matchId, generator, file.Stream, recording);
        file.CommitOrThrow();
        report.WriteLine(
            string.Create(CultureInfo.InvariantCulture, $"{path}: {frames} simulated observations, {new FileInfo(path).Length} bytes"));
        return ExitCode.Ok;

        // The generator, advanced frame by frame.
        IEnumerable<MatchGenerator> Frames()
        {
            using var progress = ProgressLine.Start("synth", "frames", options.Steps);
            for (var done = 1; generator.Next(); done++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return generator;
                progress.Report(done);
            }
        }
    }

    private static long WriteRecording(
        IEnumerable<MatchGenerator> frames, string matchId, MatchGenerator generator, Stream output, RecordingOptions options)
    {
        using var recording = new SynthRecording(output, matchId, generator, options);
        foreach (var _ in frames) recording.Add();
        recording.Close();
        return recording.FrameCount;
    }

    private static long WriteDelimited(IEnumerable<MatchGenerator> frames, Stream stream)
    {
        var writer = new DelimitedObservationWriter(stream);
        foreach (var frame in frames) writer.Write(frame.Observation.Span);
        return writer.FrameCount;
    }
}
