using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary>The work of a command that writes a file and takes long.</summary>
internal static class LongTask
{
    /// <summary>Runs the work beside the caller, which handles Ctrl-C meanwhile.</summary>
    /// <param name="work">The work. If it ends with <see cref="OperationCanceledException"/>, it has left no file.</param>
    /// <param name="report">Standard error, which is told about Ctrl-C.</param>
    public static Task<int> RunAsync(Func<int> work, TextWriter report) => Task.Run(
        () =>
        {
            try
            {
                return work();
            }
            catch (OperationCanceledException)
            {
                report.WriteLine($"{ProgramName.Current}: interrupted: no file was written");
                return ExitCode.Interrupted;
            }
        },
        CancellationToken.None);
}
