using System.CommandLine;
using Abathur.Sync.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Cli;

/// <summary>The options of all commands that say how the program speaks.</summary>
internal static class LogOptionSet
{
    private const string Json = "json";
    private static readonly string[] Levels = ["debug", "information", "warning", "error"];

    private static readonly Option<string> Format = new("--log-format")
    {
        Description = "How messages are written to standard error: text, or json (an object on a line each).",
        DefaultValueFactory = _ => "text",
        Recursive = true,
        HelpName = "text|json",
    };

    private static readonly Option<string> Level = new("--log-level")
    {
        Description = "What is logged: debug, information (subscribers come and go), warning, error.",
        DefaultValueFactory = _ => "warning",
        Recursive = true,
        HelpName = "LEVEL",
    };

    public static void AddTo(RootCommand root)
    {
        Format.Must(text => text is "text" or Json, "--log-format must be text or json.");
        Level.Must(Levels.Contains, $"--log-level must be {string.Join(", ", Levels[..^1])} or {Levels[^1]}.");
        root.Add(Format);
        root.Add(Level);
    }

    /// <summary>From now on everything is said so. Also where the command line is wrong elsewhere.</summary>
    public static void Apply(ParseResult result)
    {
        if (result.GetResult(Format) is { } format && !format.Errors.Any() && result.GetValue(Format) == Json) StandardError.Format = LogFormat.Json;
        if (result.GetResult(Level) is { } chosen && !chosen.Errors.Any() && Enum.TryParse<LogLevel>(result.GetValue(Level), ignoreCase: true, out var level)) StandardError.MinimumLevel = level;
    }
}
