using System.CommandLine;

namespace Abathur.Sync.Cli;

/// <summary>The recording that comes with the program, for commands that are given none.</summary>
internal static class SampleRecording
{
    /// <summary>Environment variable with its path, for programs that start this one.</summary>
    public const string Variable = "ABATHUR_SAMPLE";

    private const string FileName = "skirmish.mcap";

    /// <summary>Lets the sample take the place of a missing argument.</summary>
    public static Argument<string> OrSample(this Argument<string> file)
    {
        file.Arity = ArgumentArity.ZeroOrOne;
        file.Description += " Default: the sample that comes with this program.";
        return file;
    }

    /// <summary>The given recording, or the sample.</summary>
    /// <exception cref="CliException">None was given, and the sample is not there.</exception>
    public static string Of(ParseResult result, Argument<string> file)
    {
        if (result.GetValue(file) is { } given) return given;
        var named = Environment.GetEnvironmentVariable(Variable);
        var sample = string.IsNullOrEmpty(named) ? Path.Combine(AppContext.BaseDirectory, FileName) : named;
        return File.Exists(sample)
            ? sample
            : throw new CliException(
                $"FILE is missing, and there is no sample {sample}. See `{HelpText.NameOf(result.CommandResult.Command)} --help`.",
                ExitCode.Usage);
    }
}
