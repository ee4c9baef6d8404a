using System.ComponentModel;
using System.Diagnostics;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Matches;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Hosting;

/// <summary>
/// Runs an agent's program beside the daemon: starts it with the daemon's address in ABATHUR_ADDRESS, writes its output with a prefix,
/// restarts it when it fails, and for the next match when it has ended with one, and ends it after the last match.
/// </summary>
/// <param name="commandLine">The program and its arguments, as <see cref="CommandLine"/> reads them.</param>
/// <param name="name">Prefix of its output.</param>
/// <param name="address">The address that the agent connects to.</param>
/// <param name="token">The token that it sends, in ABATHUR_TOKEN; null: none is needed.</param>
/// <param name="relayToken">The token that it sends if it is a relay, in ABATHUR_RELAY_TOKEN; null: the other one.</param>
/// <param name="clock">Clock of the delays.</param>
public sealed class AgentSupervisor(
    string commandLine, string name, string address, string? token, string? relayToken, TimeProvider clock)
{
    /// <summary>Environment variable with the daemon's address.</summary>
    public const string AddressVariable = "ABATHUR_ADDRESS";

    /// <summary>Environment variable with the agent's token. Not an argument, because every user of the machine can read
    /// arguments.</summary>
    public const string TokenVariable = "ABATHUR_TOKEN";

    /// <summary>Environment variable with the token of an agent that is a relay: others read what it reads.</summary>
    public const string RelayTokenVariable = "ABATHUR_RELAY_TOKEN";

    private static readonly TimeSpan FirstDelay = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan LongestDelay = TimeSpan.FromSeconds(10);

    /// <summary>After an agent has run this long, the restart delay starts again from its minimum.</summary>
    private static readonly TimeSpan WellAfter = TimeSpan.FromSeconds(30);

    /// <summary>How long an agent may take to finish after the match.</summary>
    private static readonly TimeSpan FinishTimeout = TimeSpan.FromSeconds(5);

    private readonly ILogger _log = ProgramLog.OfAgent(name);

    /// <summary>Number of restarts.</summary>
    public int Restarts { get; private set; }

    /// <summary>Runs the agent until the token fires (the last match is over). After exit code 0 it is started again when the match in
    /// which it began is over.</summary>
    /// <param name="current">The match that runs, or comes next.</param>
    /// <param name="waitForEnd">Waits until a match is over.</param>
    /// <param name="over">Fires after the last match.</param>
    /// <exception cref="AgentException">The program cannot be started at all.</exception>
    public async Task RunAsync(
        Func<MatchRun> current, Func<MatchRun, CancellationToken, Task> waitForEnd, CancellationToken over)
    {
        var delay = FirstDelay;
        while (!over.IsCancellationRequested)
        {
            var started = clock.GetTimestamp();
            var match = current();
            var exitCode = await RunOnceAsync(over);
            if (exitCode is null || over.IsCancellationRequested) return;
            if (exitCode == 0)
            {
                await waitForEnd(match, over).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                continue;
            }
            if (clock.GetElapsedTime(started) >= WellAfter) delay = FirstDelay;
            LogMessages.AgentRestarts(_log, exitCode.Value, delay.TotalSeconds);
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

    /// <summary>Runs it once and returns its exit code; null if it was killed.</summary>
    private async Task<int?> RunOnceAsync(CancellationToken over)
    {
        using var process = Start();
        var reading = Task.WhenAll(PassOnAsync(process.StandardOutput), PassOnAsync(process.StandardError));
        // The agent has no input: reading it returns the end.
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
        // A program that the agent has started may keep its output open forever.
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
            LogMessages.AgentKilled(_log, FinishTimeout.TotalSeconds);
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
        if (relayToken is not null) start.Environment[RelayTokenVariable] = relayToken;
        // Without buffering, the output of an agent appears immediately.
        start.Environment.TryAdd("PYTHONUNBUFFERED", "1");
        try
        {
            return Process.Start(start)!;
        }
        catch (Exception e) when (e is Win32Exception or IOException or UnauthorizedAccessException)
        {
            throw new AgentException($"the agent \"{commandLine}\" cannot be started: {Reason(e)}", e);
        }
    }

    // Without the working folder, which the runtime adds.
    private static string Reason(Exception e) =>
        e is Win32Exception { NativeErrorCode: not 0 and var code } ? new Win32Exception(code).Message : e.Message;

    private async Task PassOnAsync(StreamReader from)
    {
        try
        {
            while (await from.ReadLineAsync() is { } line) LogMessages.AgentOutput(_log, line);
        }
        catch (ObjectDisposedException)
        {
            // The wait was cancelled.
        }
    }
}
