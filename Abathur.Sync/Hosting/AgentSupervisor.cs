using System.ComponentModel;
using System.Diagnostics;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Hosting;

/// <summary>
/// Runs an agent's program beside the daemon: starts it with the daemon's address in ABATHUR_ADDRESS, passes its output on with a prefix, starts
/// it again when it fails, and ends it after the match.
/// </summary>
/// <param name="commandLine">The program and its arguments, as <see cref="CommandLine"/> reads them.</param>
/// <param name="name">Prefix of its output.</param>
/// <param name="address">What the agent connects to.</param>
/// <param name="token">What it shows there, in ABATHUR_TOKEN; null: none is needed.</param>
/// <param name="clock">Clock of the delays.</param>
public sealed class AgentSupervisor(string commandLine, string name, string address, string? token, TimeProvider clock)
{
    /// <summary>Environment variable that tells an agent where the daemon is.</summary>
    public const string AddressVariable = "ABATHUR_ADDRESS";

    /// <summary>Environment variable with what an agent shows to the daemon. Not an argument, which everybody on the machine can read.</summary>
    public const string TokenVariable = "ABATHUR_TOKEN";

    private static readonly TimeSpan FirstDelay = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan LongestDelay = TimeSpan.FromSeconds(10);

    /// <summary>An agent that has run this long was well: the next failure is its first.</summary>
    private static readonly TimeSpan WellAfter = TimeSpan.FromSeconds(30);

    /// <summary>How long an agent may take to finish after the match.</summary>
    private static readonly TimeSpan FinishTimeout = TimeSpan.FromSeconds(5);

    /// <summary>How often it was started again.</summary>
    public int Restarts { get; private set; }

    /// <summary>Runs the agent until it ends with exit code 0, or the token fires (the match is over).</summary>
    /// <exception cref="AgentException">The program cannot be started at all.</exception>
    public async Task RunAsync(CancellationToken over)
    {
        var delay = FirstDelay;
        while (!over.IsCancellationRequested)
        {
            var started = clock.GetTimestamp();
            var exitCode = await RunOnceAsync(over);
            if (exitCode is null or 0 || over.IsCancellationRequested) return;
            if (clock.GetElapsedTime(started) >= WellAfter) delay = FirstDelay;
            Write($"ended with exit code {exitCode}; starting it again in {delay.TotalSeconds:0.#} s");
            try
            {
                await Task.Delay(delay, clock, over);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            Restarts++;
            delay = TimeSpan.FromTicks(Math.Min(delay.Ticks * 2, LongestDelay.Ticks));
        }
    }

    /// <summary>Runs it once; null where it had to be ended.</summary>
    private async Task<int?> RunOnceAsync(CancellationToken over)
    {
        using var process = Start();
        var reading = Task.WhenAll(PassOnAsync(process.StandardOutput), PassOnAsync(process.StandardError));
        // Nobody types for it. An agent that reads its input sees the end.
        process.StandardInput.Close();
        int? exitCode;
        try
        {
            await process.WaitForExitAsync(over);
            exitCode = process.ExitCode;
        }
        catch (OperationCanceledException)
        {
            exitCode = await FinishAsync(process);
        }
        // A program that it has started may hold its output open for ever.
        await Task.WhenAny(reading, Task.Delay(FinishTimeout, clock, CancellationToken.None));
        return exitCode;
    }

    private async Task<int?> FinishAsync(Process process)
    {
        try
        {
            await process.WaitForExitAsync(CancellationToken.None).WaitAsync(FinishTimeout, clock);
            return process.ExitCode;
        }
        catch (TimeoutException)
        {
            Write($"still runs {FinishTimeout.TotalSeconds:0} s after the match, and is ended");
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None);
            return null;
        }
    }

    private Process Start()
    {
        var words = CommandLine.Split(commandLine);
        var start = new ProcessStartInfo(words[0])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var argument in words.Skip(1)) start.ArgumentList.Add(argument);
        start.Environment[AddressVariable] = address;
        if (token is not null) start.Environment[TokenVariable] = token;
        // What an agent prints is to be seen when it prints it.
        start.Environment.TryAdd("PYTHONUNBUFFERED", "1");
        try
        {
            return Process.Start(start)!;
        }
        catch (Exception e) when (e is Win32Exception or IOException or UnauthorizedAccessException)
        {
            throw new AgentException($"the agent \"{commandLine}\" cannot be started: {e.Message}", e);
        }
    }

    private async Task PassOnAsync(StreamReader from)
    {
        try
        {
            while (await from.ReadLineAsync() is { } line) Write(line);
        }
        catch (ObjectDisposedException)
        {
            // It is not waited for any more.
        }
    }

    private void Write(string line) => StandardError.PassOn(name, line);
}
