using System.CommandLine;
using System.Globalization;
using Abathur.Sync.Recordings;

namespace Abathur.Sync.Cli;

/// <summary><c>abathur-sync recover IN [-o OUT]</c></summary>
internal static class RecoverCommand
{
    public static Command Create()
    {
        var input = new Argument<string>("in") { Description = "The file that was cut or never closed; it is not changed", HelpName = "IN" };
        var output = new Option<string?>("--output", "-o") { Description = "The new file (default: IN with .recovered.mcap)", HelpName = "OUT" };
        var force = new Option<bool>("--force") { Description = "Replace the output where it exists" };
        var command = new Command("recover", "Make a proper recording of one that was cut, never closed, or has garbage at its end")
        {
            input, output, force,
        };
        command.SetAction((parsed, cancellation) =>
        {
            var from = parsed.GetRequiredValue(input);
            var to = parsed.GetValue(output) ?? DefaultOutput(from);
            return Task.Run(() => Run(from, to, parsed.GetValue(force), parsed.InvocationConfiguration.Error, cancellation), CancellationToken.None);
        });
        return command;
    }

    private static int Run(string input, string output, bool force, TextWriter report, CancellationToken cancellation)
    {
        var result = RecordingRecovery.Recover(input, output, options: null, force, cancellation);
        report.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{output}: {result.MessageCount} messages, {result.ObservationCount} of them observations"));
        report.WriteLine(result.WasComplete
            ? $"nothing was wrong with {input}"
            : string.Create(
                CultureInfo.InvariantCulture,
                $"from {result.ChunkCount} whole chunks, and {result.CutChunkMessageCount} messages of a cut one; {result.DamagedRecordCount} damaged records left out, {result.LostBytes} bytes lost"));
        return ExitCode.Ok;
    }

    // match.mcap and match.mcap.part both give match.recovered.mcap.
    private static string DefaultOutput(string input)
    {
        var name = input.EndsWith(".part", StringComparison.Ordinal) ? input[..^5] : input;
        return Path.ChangeExtension(name, ".recovered.mcap");
    }
}
