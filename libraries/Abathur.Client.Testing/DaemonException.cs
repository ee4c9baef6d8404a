namespace Abathur.Client.Testing;

/// <summary>The daemon was not found, or did not start.</summary>
public sealed class DaemonException : Exception
{
    internal DaemonException(string reason, int? exitCode, Exception? inner = null)
        : base($"the daemon did not start{(exitCode is null ? "" : $" (exit code {exitCode})")}: {reason}", inner) => ExitCode = exitCode;

    /// <summary>Its exit code; null if it was not started.</summary>
    public int? ExitCode { get; }
}
