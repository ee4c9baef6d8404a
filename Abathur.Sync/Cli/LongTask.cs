using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary>The work of a command that writes a file and takes long.</summary>
internal static class LongTask
{
    /// <summary>Completes when the command line library knows the task of the command. At a Ctrl-C before that, it ends the process at
    /// once: what the work has begun to write would remain, and nothing would be said.</summary>
    private static readonly TaskCompletionSource Known = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Lets work begin. Call it when the command has been invoked.</summary>
    public static void MayBegin() => Known.TrySetResult();

    /// <summary>Runs the work beside the caller, which handles Ctrl-C meanwhile.</summary>
    /// <param name="work">The work. If it ends with <see cref="OperationCanceledException"/>, it has left no file.</param>
    /// <param name="report">Standard error, which is told about Ctrl-C.</param>
    public static async Task<int> RunAsync(Func<int> work, TextWriter report)
    {
        await Known.Task;
        try
        {
            return await Task.Run(work);
        }
        catch (OperationCanceledException)
        {
            report.WriteLine($"{ProgramName.Current}: interrupted: no file was written");
            return ExitCode.Interrupted;
        }
    }
}
