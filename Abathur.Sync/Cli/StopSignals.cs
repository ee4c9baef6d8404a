using System.Runtime.InteropServices;

namespace Abathur.Sync.Cli;

/// <summary>
/// The signals that stop a command: Ctrl-C, SIGTERM, a closed terminal, and with <c>--stop-with-parent</c> the end of standard input.
/// They are handled from the start, so that the processes that the command has started (a game, agents) end with it. A second Ctrl-C or
/// SIGTERM ends the process immediately.
/// </summary>
internal sealed class StopSignals : IDisposable
{
    private readonly CancellationTokenSource _stop;
    private readonly PosixSignalRegistration _hangUp;
    private readonly PosixSignalRegistration[] _again;
    private int _count;
    private bool _withParent;

    /// <param name="withParent">Whether the end of standard input stops the command.</param>
    /// <param name="interrupted">Fires at Ctrl-C and SIGTERM.</param>
    public StopSignals(bool withParent, CancellationToken interrupted)
    {
        _stop = CancellationTokenSource.CreateLinkedTokenSource(interrupted);
        _hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, signal =>
        {
            // The terminal is closed: end as cleanly as at Ctrl-C.
            signal.Cancel = true;
            Stop();
        });
        // The command line library handles the first one. A user who sends a second does not want to wait for agents and files.
        _again = [.. new[] { PosixSignal.SIGTERM, PosixSignal.SIGINT }.Select(
            kind => PosixSignalRegistration.Create(kind, EndAtTheSecond))];
        _withParent = withParent;
    }

    /// <summary>Fires when the command is to stop.</summary>
    public CancellationToken Token => _stop.Token;

    /// <summary>Starts to watch for the end of standard input, if the option is set: once the command is ready, or waits for
    /// something.</summary>
    public void WatchParent()
    {
        if (!_withParent) return;
        _withParent = false;
        // A thread of its own: reading standard input cannot be cancelled, and must not keep the process alive.
        new Thread(WaitForParent) { IsBackground = true, Name = "standard input" }.Start();
    }

    /// <summary>Tells the command to stop.</summary>
    public void Stop()
    {
        try
        {
            _stop.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // It is over already.
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _hangUp.Dispose();
        foreach (var registration in _again) registration.Dispose();
        _stop.Dispose();
    }

    private void EndAtTheSecond(PosixSignalContext signal)
    {
        signal.Cancel = true;
        if (Interlocked.Increment(ref _count) == 2) Environment.Exit(ExitCode.Interrupted);
    }

    private void WaitForParent()
    {
        while (Console.In.Read() >= 0)
        {
            // The content does not matter.
        }
        Stop();
    }
}
