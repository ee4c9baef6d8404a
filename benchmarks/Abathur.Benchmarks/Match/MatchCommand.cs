using System.CommandLine;
using Abathur.Benchmarks.Codecs;
using Abathur.Compression;
using Abathur.Mcap;
using Abathur.Recordings;
using Spectre.Console;

namespace Abathur.Benchmarks.Match;

/// <summary><c>match FILE --codecs a,b --json OUT</c>: every codec over the frames of a recording.</summary>
internal static class MatchCommand
{
    private const int Ok = 0, Failed = 1, Usage = 2, BadInput = 3, Interrupted = 130;
    private const double MaxBudgetSeconds = 1e9;

    /// <summary>
    /// Runs the command line. Exit codes: 0 done; 1 failed on the way; 2 wrong usage, an unknown codec among it; 3 a recording that is
    /// missing, cut
    /// or damaged; 130 interrupted, with what had been measured written.
    /// </summary>
    /// <param name="args">Arguments behind the command.</param>
    /// <param name="output">Standard output: the table.</param>
    /// <param name="error">Standard error: progress and errors.</param>
    /// <param name="cancellationToken">Ends the run as Ctrl-C does.</param>
    public static int Invoke(string[] args, TextWriter output, TextWriter error, CancellationToken cancellationToken = default)
    {
        var file = new Argument<string?>("FILE") { Description = "Recording (MCAP)", Arity = ArgumentArity.ZeroOrOne };
        var codecs = new Option<string>("--codecs")
        {
            Description = $"Codecs, separated by commas, those of frames with +{string.Join(", +", CodecCatalog.Compressions)} behind if "
                + "wanted (default: all of --list)",
            HelpName = "A,B",
        };
        var json = new Option<string?>("--json") { Description = "File to write the result to", HelpName = "OUT" };
        var rounds = new Option<int>("--rounds")
        {
            Description = "Times that each codec goes over its frames",
            DefaultValueFactory = _ => 1,
            HelpName = "R",
        };
        var frames = new Option<int?>("--frames") { Description = "Frames to take, evenly spaced (default: every frame)", HelpName = "N" };
        var budget = new Option<double?>("--budget")
        {
            Description = "Time that the run may take: codecs take as many evenly spaced frames as fit",
            HelpName = "SECONDS",
        };
        var seed = new Option<int>("--seed")
        {
            Description = "Start of the random order of the codecs",
            DefaultValueFactory = _ => 1,
            HelpName = "N",
        };
        var list = new Option<bool>("--list") { Description = "List the codecs" };
        var command = new RootCommand("Encodes and decodes the frames of a recording with each codec, and times each operation by "
            + "itself.") { file, codecs, json, rounds, frames, budget, seed, list };
        command.SetAction(async (parsed, cancelled) =>
        {
            using var both = CancellationTokenSource.CreateLinkedTokenSource(cancelled, cancellationToken);
            if (parsed.GetValue(list)) return List(output);
            if (parsed.GetValue(file) is not { } path) return Refuse(error, Usage, "which FILE? See match --help.");
            var names = parsed.GetValue(codecs)?.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
                .Distinct()
                .ToArray() ?? [.. CodecCatalog.Names];
            var options = new MatchOptions
            {
                Recording = path,
                Codecs = names,
                Json = parsed.GetValue(json),
                Rounds = parsed.GetValue(rounds),
                Frames = parsed.GetValue(frames),
                Budget = parsed.GetValue(budget) is { } seconds
                    ? TimeSpan.FromSeconds(Math.Clamp(double.IsNaN(seconds) ? 0 : seconds, 0, MaxBudgetSeconds))
                    : null,
                Seed = parsed.GetValue(seed),
            };
            if (options.Rounds is < 1 or > 1000) return Refuse(error, Usage, "--rounds must be 1 to 1000.");
            if (options.Frames is < 1) return Refuse(error, Usage, "--frames must be at least 1.");
            if (options.Budget is { } time && time <= TimeSpan.Zero) return Refuse(error, Usage, "--budget must be above 0.");
            // Off the thread that handles signals, so that a cancelled run is written while that waits.
            return await Task.Run(() => Run(options, output, error, both.Token), CancellationToken.None);
        });
        var invocation = new InvocationConfiguration
        {
            Output = output,
            Error = error,
            ProcessTerminationTimeout = TimeSpan.FromSeconds(30),
        };
        var result = command.Parse(args);
        return result.Errors.Count > 0 ? Refuse(error, Usage, result.Errors[0].Message) : result.Invoke(invocation);
    }

    private static int Run(MatchOptions options, TextWriter output, TextWriter error, CancellationToken cancellationToken)
    {
        if (options.Json is "") return Refuse(error, Usage, "--json names no file");
        if (Directory.Exists(options.Json)) return Refuse(error, Usage, $"{options.Json} is a folder; --json names a file");
        if (options.Json is { } target && Path.GetDirectoryName(Path.GetFullPath(target)) is { } folder && !Directory.Exists(folder))
            return Refuse(error, Usage, $"there is no folder {folder} to write {target} to");
        if (options.Codecs.Count == 0) return Refuse(error, Usage, "--codecs is empty");
        var runs = new List<CodecRun>();
        try
        {
            foreach (var name in options.Codecs)
            {
                if (CodecCatalog.TryCreate(name) is not { } codec)
                {
                    return Refuse(
                        error, Usage,
                        $"there is no codec {name}; there are {string.Join(", ", CodecCatalog.FrameNames)} and columns, also with "
                            + $"+{string.Join(", +", CodecCatalog.Compressions)}, and {string.Join(", ", CodecCatalog.StreamNames)}");
                }
                runs.Add(new CodecRun(name, codec));
            }
            using var frames = RecordedFrames.Open(options.Recording);
            return Measure(options, frames, runs, output, error, cancellationToken);
        }
        catch (Exception e) when (e is RecordingException or McapException or InvalidDataException)
        {
            return Refuse(error, BadInput, e.Message);
        }
        catch (Exception e) when (e is CompressionException or IOException or UnauthorizedAccessException)
        {
            return Refuse(error, Failed, e.Message);
        }
        finally
        {
            foreach (var run in runs) (run.Codec as IDisposable)?.Dispose();
        }
    }

    private static int Measure(
        MatchOptions options, RecordedFrames frames, List<CodecRun> runs, TextWriter output, TextWriter error,
        CancellationToken cancellationToken)
    {
        var environment = MatchEnvironment.Describe(MatchClock.Measure());
        MatchRunner? runner = null;
        ConsoleProgress.Run(Terminal(error), progress =>
        {
            runner = new MatchRunner(options, frames, runs, progress);
            runner.Run(cancellationToken);
        });
        if (options.Json is { } path)
        {
            // First beside it, so that a full disk does not leave half a result.
            var result = MatchResult.ToJson(options, frames, runner!, runs, environment).ToJsonString();
            File.WriteAllText($"{path}.partial", result + "\n");
            File.Move($"{path}.partial", path, overwrite: true);
        }
        MatchTable.Write(Terminal(output), runner!, runs);
        return runner!.Interrupted ? Interrupted : Ok;
    }

    private static int List(TextWriter output)
    {
        foreach (var name in CodecCatalog.Names) output.WriteLine($"{name,-24}{CodecCatalog.TryCreate(name)!.Label}");
        output.WriteLine($"those of frames, and columns, also with +{string.Join(", +", CodecCatalog.Compressions)}");
        return Ok;
    }

    private static int Refuse(TextWriter error, int code, string message)
    {
        error.WriteLine($"match: {message.ReplaceLineEndings(" ")}");
        return code;
    }

    private static IAnsiConsole Terminal(TextWriter writer)
    {
        // Only the console's own writers can be a terminal, and each is asked for itself.
        var isTerminal = (ReferenceEquals(writer, Console.Error) && !Console.IsErrorRedirected)
            || (ReferenceEquals(writer, Console.Out) && !Console.IsOutputRedirected);
        var console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(writer),
            Interactive = isTerminal ? InteractionSupport.Yes : InteractionSupport.No,
            Ansi = isTerminal ? AnsiSupport.Detect : AnsiSupport.No,
        });
        if (!isTerminal) console.Profile.Width = 160;
        return console;
    }
}
