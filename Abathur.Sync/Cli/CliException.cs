namespace Abathur.Sync.Cli;

/// <summary>Ends a command with a message for the user and an exit code.</summary>
internal sealed class CliException(string message, int exitCode = ExitCode.Failed) : Exception(message)
{
    public int Code { get; } = exitCode;
}
