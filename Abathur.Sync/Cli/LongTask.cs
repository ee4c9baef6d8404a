using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary>The work of a command that writes a file and takes long.</summary>
internal static class LongTask
{
    private static Task _handled = Task.CompletedTask;

    /// <summary>Invokes a command. Its work begins when the command line library has the command's task: at a Ctrl-C before that, the
    /// library ends the process at once, what the work has begun to write remains, and nothing is said.</summary>
    public static Task<int> Invoke(Func<Task<int>> command)
    {
        var handled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _handled = handled.Task;
        try
        {
            return command();
        }
        finally
        {
            handled.SetResult();
        }
    }

    /// <summary>Runs the work beside the caller, which handles Ctrl-C meanwhile.</summary>
    /// <param name="work">The work. If it ends with <see cref="OperationCanceledException"/>, it has left no file.</param>
    /// <param name="report">Standard error, which is told about Ctrl-C.</param>
    public static async Task<int> RunAsync(Func<int> work, TextWriter report)
    {
        await _handled;
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
