using System.CommandLine;
using Abathur.Compression;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Sc2;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;
using Abathur.Sync.Recording;
using Abathur.Sync.Sources;

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

    /// <summary>Reports an invalid command line, in one line.</summary>
    public static int ReportUsage(ParseResult parsed)
    {
        // An unknown argument usually explains why a required one seems to be missing, so it is reported first.
        var unknown = parsed.UnmatchedTokens.Count > 0 ? $"Unrecognized command or argument '{parsed.UnmatchedTokens[0]}'." : null;
        LogMessages.CommandFailed(
            ProgramLog.Logger, $"{unknown ?? parsed.Errors[0].Message.ReplaceLineEndings(" ")} See `abathur-sync --help`.");
        return ExitCode.Usage;
    }

    private static bool TryGetExitCode(Exception exception, out int code)
    {
        code = exception switch
        {
            CliException cli => cli.Code,
            McapException or RecordingException or InvalidDataException => ExitCode.BadInput,
            FileNotFoundException or DirectoryNotFoundException => ExitCode.BadInput,
            PlaybackException => ExitCode.Usage,
            DaemonException or GameException or AgentException or CompressionException or IOException or UnauthorizedAccessException =>
                ExitCode.Failed,
            _ => -1,
        };
        return code >= 0;
    }
}
