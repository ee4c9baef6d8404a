namespace Abathur.Sync.Cli;

/// <summary>Exit codes of the process.</summary>
internal static class ExitCode
{
    /// <summary>Done.</summary>
    public const int Ok = 0;

    /// <summary>The command failed: disk full, port in use, connection lost.</summary>
    public const int Failed = 1;

    /// <summary>The command line is invalid.</summary>
    public const int Usage = 2;

    /// <summary>An input file is missing, damaged, or of the wrong kind.</summary>
    public const int BadInput = 3;

    /// <summary>Ended by Ctrl-C or SIGTERM before it was done.</summary>
    public const int Interrupted = 130;
}
