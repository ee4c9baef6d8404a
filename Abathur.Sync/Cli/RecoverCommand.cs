using System.CommandLine;
using System.Globalization;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Recordings.Conversion;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary><c>abathur-sync recover IN [-o OUT]</c></summary>
internal static class RecoverCommand
{
    /// <summary>The topics that every recording has, and the consequence if one is missing.</summary>
    private static readonly (string Topic, string Without)[] Expected =
    [
        (RecordingTopics.Observation, "there is nothing to play"),
        (RecordingTopics.GameInfo, "agents get no map, and `emulate` needs --game-info"),
        (RecordingTopics.GameData, "agents get no names and costs, and `emulate` needs --game-data"),
    ];

    public static Command Create()
    {
        var input = new Argument<string>("in") { Description = "The truncated or unclosed file; it is not changed", HelpName = "IN" };
        var output = new Option<string?>("--output", "-o")
        {
            Description = "The new file (default: IN with .recovered.mcap)",
            HelpName = "OUT",
        };
        var force = new Option<bool>("--force", "-f") { Description = "Replace the output if it exists" };
        var json = JsonOutput.CreateOption();
        var command = new Command(
            "recover", "Make a complete recording of one that was truncated, was never closed, or has garbage at its end")
        {
            input, output, force, json,
        };
        command.SetAction((parsed, cancellationToken) =>
        {
            var from = parsed.GetRequiredValue(input);
            var to = parsed.GetValue(output) ?? RecoverCommandLine.DefaultOutput(from);
            var report = parsed.InvocationConfiguration.Error;
            return LongTask.RunAsync(
                () => Run(
                    from, to, parsed.GetValue(force), parsed.GetValue(json), parsed.InvocationConfiguration, cancellationToken), report);
        });
        return command;
    }

    private static int Run(
        string input, string output, bool force, bool json, InvocationConfiguration streams, CancellationToken cancellationToken)
    {
        var report = streams.Error;
        McapRecoveryResult result;
        using (var progress = ProgressLine.Start("recover", unit: null, File.Exists(input) ? new FileInfo(input).Length : null))
        {
            result = RecordingRecovery.Recover(
                input, output, options: null, force, RecoverCommandLine.TellTo(report), progress, cancellationToken);
        }
        if (json) JsonOutput.Write(streams.Output, RecoverSummary.Of(output, result));
        else PrintSummary(input, output, result, report);
        if (result.MessagesByTopic.GetValueOrDefault(RecordingTopics.Observation) > 0) return ExitCode.Ok;
        report.WriteLine(
            $"{ProgramName.Current}: no observation was recovered from {input}: {output} has only the other messages and cannot be played");
        return ExitCode.BadInput;
    }

    private static void PrintSummary(string input, string output, McapRecoveryResult result, TextWriter report)
    {
        report.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{output}: {result.MessageCount} messages"));
        foreach (var (topic, count) in result.MessagesByTopic.OrderBy(each => each.Key, StringComparer.Ordinal))
            if (count > 0) report.WriteLine(string.Create(CultureInfo.InvariantCulture, $"  {topic,-14} {count}"));
        foreach (var (topic, without) in Expected)
            if (result.MessagesByTopic.GetValueOrDefault(topic) == 0) report.WriteLine($"  {topic,-14} missing: {without}");
        report.WriteLine(result.WasComplete
            ? $"nothing was wrong with {input}"
            : string.Create(
                CultureInfo.InvariantCulture,
                $"from {result.ChunkCount} complete chunks, and {result.CutChunkMessageCount} messages of a truncated one; "
                    + $"{result.DamagedRecordCount} damaged records dropped, {result.LostBytes} bytes lost"));
    }

    /// <summary>What <c>--json</c> prints.</summary>
    /// <param name="File">Path of the new file.</param>
    /// <param name="FileBytes">Its bytes.</param>
    /// <param name="Messages">Messages in it.</param>
    /// <param name="MessagesByTopic">The same by topic.</param>
    /// <param name="CompleteChunks">Complete chunks of the input.</param>
    /// <param name="TruncatedChunkMessages">Messages from a chunk that was truncated.</param>
    /// <param name="DamagedRecords">Records that were dropped.</param>
    /// <param name="LostBytes">Bytes that could not be read.</param>
    /// <param name="WasComplete">Whether nothing was wrong with the input.</param>
    internal sealed record RecoverSummary(
        string File, long FileBytes, long Messages, IReadOnlyDictionary<string, long> MessagesByTopic, long CompleteChunks,
        long TruncatedChunkMessages, long DamagedRecords, long LostBytes, bool WasComplete)
    {
        public static RecoverSummary Of(string file, McapRecoveryResult result) => new(
            file, new FileInfo(file).Length, result.MessageCount, result.MessagesByTopic, result.ChunkCount, result.CutChunkMessageCount,
            result.DamagedRecordCount, result.LostBytes, result.WasComplete);
    }
}
