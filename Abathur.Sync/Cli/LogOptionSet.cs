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

    public static void AddTo(RootCommand root)
    {
        Format.Must(text => text is "text" or Json, "--log-format must be text or json.");
        Level.Must(Levels.Contains, $"--log-level must be {string.Join(", ", Levels[..^1])} or {Levels[^1]}.");
        root.Add(Format);
        root.Add(Level);
    }

    /// <summary>Applies the options, even if the rest of the command line is invalid.</summary>
    public static void Apply(ParseResult result)
    {
        var isJson = result.GetResult(Format) is { } format && !format.Errors.Any() && result.GetValue(Format) == Json;
        var level = LogLevel.Warning;
        if (result.GetResult(Level) is { } chosen && !chosen.Errors.Any())
            _ = Enum.TryParse(result.GetValue(Level), ignoreCase: true, out level);
        ProgramLog.Configure(isJson, level);
    }
}
