namespace Abathur.Sync.Cli;

/// <summary>What the process ends with.</summary>
internal static class ExitCode
{
    /// <summary>Done.</summary>
    public const int Ok = 0;

    /// <summary>Something failed while it was being done: disk full, port taken, connection lost.</summary>
    public const int Failed = 1;

    /// <summary>The command line is not right.</summary>
    public const int Usage = 2;

    /// <summary>An input file is missing, damaged, or not what it should be.</summary>
    public const int BadInput = 3;

    /// <summary>Ended by Ctrl-C or SIGTERM before it was done.</summary>
    public const int Interrupted = 130;
}
