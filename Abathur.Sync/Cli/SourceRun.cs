using System.CommandLine;
using System.Runtime.InteropServices;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Sources;

namespace Abathur.Sync.Cli;

/// <summary>Runs a daemon around a source until the match is over or it is told to stop: what all verbs with a source have in common.</summary>
internal sealed class SourceRun(IMatchSource source, ListenOptionSet listen, ParseResult result)
{
    /// <summary>What the ready line says besides the daemon's own addresses.</summary>
    public string More { get; init; } = "";

    /// <summary>Shows the match on a terminal until it is disposed; it may stop the match.</summary>
    public Func<FrameHub, CancellationTokenSource, IAsyncDisposable>? ShowWhileRunning { get; init; }

    /// <summary>Tells a person something, on standard error.</summary>
    public static void Tell(string text) => Console.Error.WriteLine($"abathur-sync: {text}");

    /// <summary>Runs the match. <paramref name="afterMatch"/>: what is waited for after it, unless the daemon is told to stop.</summary>
    public async Task<SubscriptionEnd> RunAsync(CancellationToken cancellation, Func<Task>? afterMatch = null)
    {
        // Whoever reads the ready line may send SIGTERM at once; the command line takes care of it when this method has returned a task.
        await Task.Yield();
        await using var daemon = new Daemon(source, listen.Read(result), TimeProvider.System);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        using var hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, signal =>
        {
            // The terminal is closed: end as cleanly as at Ctrl-C.
            signal.Cancel = true;
            stop.Cancel();
        });
        var addresses = await daemon.StartAsync(stop.Token);
        Console.Out.WriteLine($"ready {addresses}{(More.Length > 0 ? " " : "")}{More}");
        listen.StopWithParent(result, stop);
        using var over = new CancellationTokenSource();
        var agents = Task.WhenAll(listen.Agents(result, addresses.Grpc).Select(agent => agent.RunAsync(over.Token)));
        // An agent that cannot even be started is a mistake on the command line: nobody wants the match without it.
        _ = agents.ContinueWith(_ => stop.Cancel(), stop.Token, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        SubscriptionEnd end;
        await using (ShowWhileRunning?.Invoke(daemon.Hub, stop))
        {
            end = await daemon.RunAsync(stop.Token);
        }
        await over.CancelAsync();
        await agents;
        if (afterMatch is null) return end;
        try
        {
            await afterMatch().WaitAsync(stop.Token);
        }
        catch (OperationCanceledException)
        {
            // Told to stop.
        }
        return end;
    }
}
