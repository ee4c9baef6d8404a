using System.CommandLine;
using System.Globalization;
using System.Text.Json.Serialization;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Recordings.Conversion;
using Abathur.Sc2;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary><c>abathur-sync import IN... -o OUT</c></summary>
internal static class ImportCommand
{
    private const string Zstd = "zstd";
    private const string StandardInput = "standard input";

    public static Command Create()
    {
        var defaults = new RecordingOptions();
        var limits = new ImportOptions { StartTimeUnixNs = 0 };
        var inputs = new Argument<string[]>("in")
        {
            Description =
                "Streams of ResponseObservation, each with its length as a varint in front; *.binpb and *.pb: one observation without a "
                + "length; *.zst: the same compressed; a folder: all observation*.binpb and *.obs in it; -: standard input",
            HelpName = "IN",
            Arity = ArgumentArity.OneOrMore,
        };
        var output = new Option<string>("--output", "-o") { Description = "The recording to write", HelpName = "OUT", Required = true };
        var gameInfo = new Option<string?>("--game-info") { Description = "Serialized ResponseGameInfo of the match", HelpName = "FILE" };
        var gameData = new Option<string?>("--game-data") { Description = "Serialized ResponseData of the match", HelpName = "FILE" };
        var tickHz = new Option<double>("--tick-hz")
        {
            Description = "Game loops a second: 22.4 (\"faster\") or 16 (\"normal\")",
            DefaultValueFactory = _ => GameTime.LoopsPerSecond,
        };
        tickHz.Must(hz => hz is > 0 and <= 1000, "--tick-hz must be above 0 and at most 1000.");
        var startTime = new Option<DateTimeOffset?>("--start-time")
        {
            Description = "Time of game loop 0, e.g. 2026-01-31T20:00:00Z (default: now)",
            HelpName = "TIME",
            CustomParser = result =>
            {
                if (DateTimeOffset.TryParse(
                    result.Tokens[0].Value, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal,
                    out var time) && time.Year >= 1970) return time;
                result.AddError($"--start-time {result.Tokens[0].Value} is not a time since 1970 such as 2026-01-31T20:00:00Z.");
                return null;
            },
        };
        var matchId = new Option<string?>("--match-id") { Description = "Id of the match (default: a new one)", HelpName = "ID" };
        var compression = new Option<string>("--compression")
        {
            Description = "Compression of the recording: zstd, or none",
            HelpName = "zstd|none",
            DefaultValueFactory = _ => Zstd,
        };
        compression.OneOf(Zstd, "none");
        var level = RangeOption("--level", "Level of zstd, 1 (fast) to 19 (small)", defaults.Level, 1, 19);
        var chunkSize = RangeOption(
            "--chunk-size", "Bytes of a chunk before compression", defaults.ChunkSizeBytes, 1024, new McapReaderOptions().MaxChunkBytes);
        var compact = RecordOptionSet.CreateCompact();
        var maxFrames = LimitOption("--max-frames", "Most observations that are taken", limits.MaxFrames);
        var maxBytes = LimitOption(
            "--max-bytes", $"Most bytes that are taken, after decompression. Default: {limits.MaxBytes >> 30} GiB", null);
        var force = new Option<bool>("--force", "-f") { Description = "Replace the output if it exists" };
        var json = JsonOutput.CreateOption();
        var command = new Command("import", "Make a recording of serialized observations")
        {
            inputs, output, gameInfo, gameData, tickHz, startTime, matchId, compression, level, chunkSize, compact, maxFrames,
            maxBytes, force, json,
        };
        command.SetAction((parsed, cancellationToken) =>
        {
            var read = 0L;
            ProgressLine? progress = null;
            var sources = parsed.GetRequiredValue(inputs).SelectMany(path => ToInputs(path, OnRead, cancellationToken)).ToArray();
            var options = new ImportOptions
            {
                Recording = new RecordingOptions
                {
                    Compression = parsed.GetValue(compression) == Zstd ? McapCompression.Zstd : McapCompression.None,
                    Level = parsed.GetValue(level),
                    ChunkSizeBytes = parsed.GetValue(chunkSize),
                    Compact = parsed.GetValue(compact),
                },
                TickHz = parsed.GetValue(tickHz),
                StartTimeUnixNs = ((parsed.GetValue(startTime) ?? TimeProvider.System.GetUtcNow()) - DateTimeOffset.UnixEpoch).Ticks
                    * TimeSpan.NanosecondsPerTick,
                MatchId = parsed.GetValue(matchId) ?? Guid.NewGuid().ToString(),
                GameInfo = ReadFile(parsed.GetValue(gameInfo)),
                GameData = ReadFile(parsed.GetValue(gameData)),
                MaxFrames = parsed.GetValue(maxFrames) ?? limits.MaxFrames,
                MaxBytes = parsed.GetValue(maxBytes) ?? limits.MaxBytes,
                Overwrite = parsed.GetValue(force),
                OnKilledRun = RecoverCommandLine.TellTo(parsed.InvocationConfiguration.Error),
            };
            var to = parsed.GetRequiredValue(output);
            var report = parsed.InvocationConfiguration.Error;
            return LongTask.RunAsync(
                () =>
                {
                    ImportResult result;
                    using (progress = ProgressLine.Start("import", unit: null, BytesOf(sources)))
                        result = RecordingImporter.Import(sources, to, options, cancellationToken);
                    if (!parsed.GetValue(json)) PrintSummary(result, to, report);
                    else if (result.FrameCount > 0) JsonOutput.Write(parsed.InvocationConfiguration.Output, ImportSummary.Of(to, result));
                    return ReportEnd(result, report);
                },
                report);

            void OnRead(int bytes) => progress!.Report(read += bytes);
        });
        return command;
    }

    private static void PrintSummary(ImportResult result, string output, TextWriter report)
    {
        if (result.FrameCount == 0) return;
        report.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{output}: {result.FrameCount} observations, game loops {result.FirstGameLoop} to {result.LastGameLoop}, "
                + $"{result.ObservationBytes} bytes in, {result.FileBytes} bytes recorded"));
    }

    private static int ReportEnd(ImportResult result, TextWriter report)
    {
        if (result.Damage is { } damage)
        {
            report.WriteLine($"{ProgramName.Current}: {damage}: the recording has what came before");
            return ExitCode.BadInput;
        }
        if (!result.Interrupted) return ExitCode.Ok;
        report.WriteLine(result.FrameCount > 0
            ? $"{ProgramName.Current}: interrupted: the recording has what came before"
            : $"{ProgramName.Current}: interrupted before the first observation: nothing was written");
        return ExitCode.Interrupted;
    }

    private static IEnumerable<ImportInput> ToInputs(string path, Action<int> onRead, CancellationToken cancellationToken)
    {
        if (path == StandardStreams.Dash)
            return [new ImportInput(StandardInput, () => StandardStreams.OpenInput(onRead, cancellationToken), IsSingle: false)];
        if (Directory.Exists(path)) return ImportInput.FromFolder(path, onRead);
        if (!File.Exists(path)) throw new CliException($"there is no file {path}", ExitCode.BadInput);
        return [ImportInput.FromFile(path, onRead)];
    }

    // Null: not known, because one is not a file.
    private static long? BytesOf(ImportInput[] inputs) =>
        inputs.Any(input => input.Name == StandardInput) ? null : inputs.Sum(input => new FileInfo(input.Name).Length);

    private static ReadOnlyMemory<byte>? ReadFile(string? path)
    {
        if (path is null) return null;
        if (!File.Exists(path)) throw new CliException($"there is no file {path}", ExitCode.BadInput);
        using var file = File.OpenRead(path);
        return ImportInput.ReadAll(file, path);
    }

    /// <summary>What <c>--json</c> prints about the recording.</summary>
    /// <param name="File">Path of the recording.</param>
    /// <param name="FileBytes">Its bytes.</param>
    /// <param name="Frames">Observations in it.</param>
    /// <param name="FirstGameLoop">Game loop of the first.</param>
    /// <param name="LastGameLoop">Game loop of the last.</param>
    /// <param name="ObservationBytes">Bytes of the observations, after decompression of the input.</param>
    /// <param name="Interrupted">Whether Ctrl-C ended it: the recording has what came before.</param>
    /// <param name="Damage">Where the input ended inside an observation; null: it was complete.</param>
    internal sealed record ImportSummary(
        string File, long FileBytes, long Frames, uint FirstGameLoop, uint LastGameLoop, long ObservationBytes, bool Interrupted,
        [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Damage)
    {
        public static ImportSummary Of(string file, in ImportResult result) => new(
            file, result.FileBytes, result.FrameCount, result.FirstGameLoop, result.LastGameLoop, result.ObservationBytes,
            result.Interrupted, result.Damage);
    }

    private static Option<long?> LimitOption(string name, string description, long? value)
    {
        var option = new Option<long?>(name) { Description = description, DefaultValueFactory = _ => value, HelpName = "N" };
        option.Must(given => given is null or > 0, $"{name} must be 1 or more.");
        return option;
    }

    private static Option<int> RangeOption(string name, string description, int value, int min, int max)
    {
        var option = new Option<int>(name) { Description = description, DefaultValueFactory = _ => value };
        option.Must(given => given >= min && given <= max, $"{name} must be {min} to {max}.");
        return option;
    }
}
