using System.CommandLine;
using Abathur.Sync.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Cli;

/// <summary>The logging options of all commands.</summary>
internal static class LogOptionSet
{
    private const string Json = "json";
    private static readonly string[] Levels = ["debug", "information", "warning", "error"];

    private static readonly Option<string> Format = new("--log-format")
    {
        Description = "How messages are written to standard error: text, or json (one object per line).",
        DefaultValueFactory = _ => "text",
        Recursive = true,
        HelpName = "text|json",
    };

    private static readonly Option<string> Level = new("--log-level")
    {
        Description = "What is logged: debug, information (subscribers connect and disconnect), warning, error.",
        DefaultValueFactory = _ => "warning",
        Recursive = true,
        HelpName = "LEVEL",
    };

    private static readonly Option<bool> Quiet = new("--quiet", "-q")
    {
        Description = "Log only errors, and show no progress; --log-level error.",
        Recursive = true,
    };

    private static readonly Option<bool> Verbose = new("--verbose", "-v")
    {
        Description = "Log more; --log-level information.",
        Recursive = true,
    };

    public static void AddTo(RootCommand root)
    {
        Format.OneOf("text", Json);
        Level.OneOf(Levels);
        root.AddGroup("Messages", Quiet, Verbose, Level, Format);
    }

    /// <summary>Applies the options, even if the rest of the command line is invalid.</summary>
    public static void Apply(ParseResult result)
    {
        var isJson = result.GetResult(Format) is { } format && !format.Errors.Any() && result.GetValue(Format) == Json;
        var level = result.GetValue(Quiet) ? LogLevel.Error : result.GetValue(Verbose) ? LogLevel.Information : LogLevel.Warning;
        if (result.GetResult(Level) is { Implicit: false } chosen && !chosen.Errors.Any())
            _ = Enum.TryParse(result.GetValue(Level), ignoreCase: true, out level);
        ProgramLog.Configure(isJson, level);
    }
}
