using System.CommandLine;
using System.Globalization;
using Abathur.Recordings;
using Abathur.Recordings.Conversion;
using Abathur.Recordings.Files;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary><c>abathur-sync export IN -o OUT</c></summary>
internal static class ExportCommand
{
    private const string RecordingExtension = ".mcap";

    public static Command Create()
    {
        var input = new Argument<string>("in") { Description = "The recording", HelpName = "IN" };
        var output = new Option<string>("--output", "-o")
        {
            Description = $"The new file, - for standard output; a name that ends in {RecordingExtension}: a recording, not a stream",
            HelpName = "OUT",
            Required = true,
        };
        var start = new Option<uint>("--start") { Description = "First game loop", HelpName = "LOOP" };
        var stop = new Option<uint?>("--stop")
        {
            Description = "Game loop before which to stop",
            HelpName = "LOOP",
        };
        var units = new Option<bool>("--units")
        {
            Description = "Write the units as a table, a stream of Apache Arrow, in place of the observations",
        };
        var compact = RecordOptionSet.CreateCompact();
        var force = new Option<bool>("--force", "-f") { Description = "Replace the output if it exists" };
        var json = JsonOutput.CreateOption();
        var command = new Command(
            "export",
            "Write the observations of a recording as a stream, each with its length as a varint in front, or as another recording")
        {
            input, output, start, stop, units, compact, force, json,
        };
        command.Validators.Add(result =>
        {
            if (result.GetValue(json) && result.GetResult(output)?.Tokens is [{ Value: StandardStreams.Dash }])
                result.AddError("--json needs -o FILE: standard output has the data.");
            var isRecording = result.GetResult(output)?.Tokens is [{ Value: var path }] && IsRecording(path);
            if (result.GetValue(compact) && !isRecording) result.AddError($"--compact needs -o FILE{RecordingExtension}.");
            if (result.GetValue(units) && isRecording) result.AddError($"--units cannot be written to FILE{RecordingExtension}.");
        });
        command.SetAction((parsed, cancellationToken) => LongTask.RunAsync(
            () => Run(
                parsed.GetRequiredValue(input), parsed.GetRequiredValue(output), parsed.GetValue(start),
                parsed.GetValue(stop) ?? uint.MaxValue, parsed.GetValue(units), parsed.GetValue(compact), parsed.GetValue(force),
                parsed.GetValue(json), parsed.InvocationConfiguration, cancellationToken),
            parsed.InvocationConfiguration.Error));
        return command;
    }

    private static int Run(
        string input, string output, uint start, uint stop, bool units, bool compact, bool force, bool json,
        InvocationConfiguration streams, CancellationToken cancellationToken)
    {
        var report = streams.Error;
        using var recording = RecordingReader.Open(input, cancellationToken: cancellationToken);
        if (recording.Truncated)
            report.WriteLine($"{ProgramName.Current}: warning: {input}: {recording.Damage}; "
                + $"`{ProgramName.Current} recover` may give more");
        if (output == StandardStreams.Dash)
        {
            using var pipe = StandardStreams.OpenOutput();
            Export(pipe);
            return ExitCode.Ok;
        }
        using var file = new OutputFile(
            output,
            new OutputOptions
            {
                Overwrite = force,
                Inputs = [input],
                BufferBytes = 1024 * 1024,
                OnKilledRun = RecoverCommandLine.TellTo(report),
            });
        var frames = Export(file.Stream);
        var bytes = file.Stream.Position;
        file.CommitOrThrow();
        if (json) JsonOutput.Write(streams.Output, new ExportSummary(output, bytes, frames));
        else report.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{output}: {frames} observations, {bytes} bytes"));
        return ExitCode.Ok;

        long Export(Stream stream)
        {
            using var progress = ProgressLine.Start("export", "frames", FramesBetween(recording, start, stop));
            if (units) return ExportUnits(recording, stream, start, stop, progress, cancellationToken);
            return IsRecording(output)
                ? RecordingRewriter.Rewrite(
                    recording, stream, new RecordingOptions { Compact = compact }, start, stop, progress, cancellationToken)
                : RecordingExporter.Export(recording, stream, start, stop, progress, cancellationToken).FrameCount;
        }
    }

    private static long ExportUnits(
        RecordingReader recording, Stream output, uint start, uint stop, ProgressLine progress, CancellationToken cancellationToken)
    {
        using var writer = new UnitTableWriter(output);
        var frames = 0L;
        foreach (var observation in recording.ReadBetween(start, stop))
        {
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                writer.Write(observation.GameLoop, observation.Payload.Span);
            }
            catch (InvalidDataException e)
            {
                throw new CliException($"the observation at game loop {observation.GameLoop} is damaged: {e.Message}", ExitCode.BadInput);
            }
            progress.Report(++frames);
        }
        writer.Finish();
        output.Flush();
        return frames;
    }

    /// <summary>What <c>--json</c> prints.</summary>
    /// <param name="File">Path of the new file.</param>
    /// <param name="FileBytes">Its bytes.</param>
    /// <param name="Frames">Observations in it.</param>
    internal sealed record ExportSummary(string File, long FileBytes, long Frames);

    private static bool IsRecording(string output) => output.EndsWith(RecordingExtension, StringComparison.OrdinalIgnoreCase);

    // As if every game loop had the same number of frames: counting them would take as long as writing them.
    private static long FramesBetween(RecordingReader recording, uint start, uint stop)
    {
        var loops = recording.LastGameLoop - recording.FirstGameLoop + 1.0;
        var wanted = Math.Min(stop, recording.LastGameLoop + 1.0) - Math.Max(start, recording.FirstGameLoop);
        return (long)(recording.FrameCount * Math.Clamp(wanted / loops, 0, 1));
    }
}
