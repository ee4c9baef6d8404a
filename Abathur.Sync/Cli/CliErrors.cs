using System.CommandLine;
using System.CommandLine.Parsing;
using Abathur.Compression;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Sc2;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;

namespace Abathur.Sync.Cli;

/// <summary>Converts exceptions of commands to one line on standard error and an exit code.</summary>
internal static class CliErrors
{
    /// <summary>Runs a command. Only bugs leave it as exceptions.</summary>
    public static async Task<int> RunAsync(Func<Task<int>> command)
    {
        try
        {
            return await command();
        }
        catch (OperationCanceledException)
        {
            return ExitCode.Interrupted;
        }
        catch (BrokenPipeException)
        {
            // The reader of standard output has closed it, as in `cat | head`.
            return ExitCode.Ok;
        }
        catch (Exception e) when (TryGetExitCode(e, out var code))
        {
            LogMessages.CommandFailed(ProgramLog.Logger, RecordingAdvice.Describe(e).ReplaceLineEndings(" "));
            return code;
        }
    }

    /// <summary>The unknown option that the parser has taken as a file, or null.</summary>
    public static string? OptionTakenAsArgument(ParseResult parsed) =>
        parsed.Tokens.Any(token => token.Type == TokenType.DoubleDash)
            ? null
            : parsed.CommandResult.Children.OfType<ArgumentResult>()
                .SelectMany(argument => argument.Tokens)
                .FirstOrDefault(token => token.Value.Length > 1 && token.Value[0] == '-')?.Value;

    /// <summary>Reports an invalid command line, in one line that names the command's own help.</summary>
    public static int ReportUsage(ParseResult parsed)
    {
        var command = parsed.CommandResult.Command;
        // An unknown argument usually explains why a required one seems to be missing, so it is reported first.
        // An unknown option may have taken the place of a file, and its value is then one too many.
        var unknown = OptionTakenAsArgument(parsed) ?? (parsed.UnmatchedTokens is [var first, ..] ? first : null);
        var message = unknown is not null ? Unknown(unknown, command) : Describe(parsed.Errors[0]);
        LogMessages.CommandFailed(ProgramLog.Logger, $"{message} See `{HelpText.NameOf(command)} --help`.");
        return ExitCode.Usage;
    }

    private static string Unknown(string token, Command command)
    {
        if (token.StartsWith('-'))
        {
            var name = token.Split('=')[0];
            var options = command.Options.Concat(command.Parents.OfType<Command>().SelectMany(each => each.Options));
            return $"Unknown option {name}{Suggestions.For(name, options.Select(each => each.Name))}.";
        }
        return command.Subcommands.Count > 0
            ? $"Unknown command '{token}'{Suggestions.For(token, command.Subcommands.Select(each => each.Name))}."
            : $"Unexpected argument '{token}'.";
    }

    private static string Describe(ParseError error) => error.SymbolResult switch
    {
        ArgumentResult { Tokens.Count: 0 } argument => $"{argument.Argument.HelpName ?? argument.Argument.Name} is missing.",
        CommandResult { Command.Subcommands.Count: > 0 } => "COMMAND is missing.",
        _ => error.Message.ReplaceLineEndings(" "),
    };

    private static bool TryGetExitCode(Exception exception, out int code)
    {
        code = exception switch
        {
            CliException cli => cli.Code,
            McapException or RecordingException or InvalidDataException => ExitCode.BadInput,
            FileNotFoundException or DirectoryNotFoundException => ExitCode.BadInput,
            PlaybackException => ExitCode.Usage,
            ListenException or GameException or AgentException or CompressionException or IOException or UnauthorizedAccessException =>
                ExitCode.Failed,
            _ => -1,
        };
        return code >= 0;
    }
}
