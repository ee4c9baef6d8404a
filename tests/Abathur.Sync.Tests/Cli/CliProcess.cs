using System.Diagnostics;

namespace Abathur.Sync.Tests.Cli;

/// <summary>The built program as a process of its own.</summary>
internal static class CliProcess
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);

    public static Process Start(params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo("dotnet")
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        // It is beside the tests, as they refer to it.
        foreach (var argument in arguments.Prepend(Path.Combine(AppContext.BaseDirectory, "abathur-sync.dll")))
            start.ArgumentList.Add(argument);
        return Process.Start(start)!;
    }

    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] arguments)
    {
        using var process = Start(arguments);
        process.StandardInput.Close();
        return await EndAsync(process);
    }

    public static async Task<(int ExitCode, string Output, string Error)> EndAsync(Process process)
    {
        var output = process.StandardOutput.ReadToEndAsync();
        var error = process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync().WaitAsync(Deadline);
        return (process.ExitCode, await output, await error);
    }

    /// <summary>Waits until a condition holds.</summary>
    public static async Task UntilAsync(Func<bool> condition)
    {
        var watch = Stopwatch.StartNew();
        while (!condition())
        {
            Assert.True(watch.Elapsed < Deadline, "it did not happen in time");
            await Task.Delay(20);
        }
    }
}
