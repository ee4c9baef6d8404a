using System.CommandLine;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Sources;

namespace Abathur.Sync.Cli;

/// <summary>Runs a daemon around a source until the match is over or it is told to stop: what all commands with a source have in common.</summary>
internal sealed class SourceRun(IMatchSource source, ListenOptionSet listen, ParseResult result)
{
    /// <summary>What the ready line says besides the daemon's own addresses.</summary>
    public string More { get; init; } = "";

    /// <summary>Shows the match on a terminal until it is disposed; it may stop the match.</summary>
    public Func<FrameHub, StopSignals, IAsyncDisposable>? ShowWhileRunning { get; init; }

    /// <summary>Runs the match.</summary>
    /// <param name="stop">What ends it early.</param>
    /// <param name="afterMatch">What is waited for after it, unless the daemon is told to stop.</param>
    public async Task<SubscriptionEnd> RunAsync(StopSignals stop, Func<Task>? afterMatch = null)
    {
        // A program that reads the ready line may send SIGTERM at once; the command line takes care of it when this method has returned a task.
        await Task.Yield();
        var options = listen.Read(result);
        await using var daemon = new Daemon(source, options, TimeProvider.System);
        var addresses = await daemon.StartAsync(stop.Token);
        Console.Out.WriteLine($"ready {addresses}{(More.Length > 0 ? " " : "")}{More}");
        if (!Console.IsErrorRedirected && addresses.Http is { } http) Console.Error.WriteLine($"dashboard: {(options.Access.Tls is null ? "http" : "https")}://{http}/");
        stop.WatchParent();
        SubscriptionEnd end;
        using var over = CancellationTokenSource.CreateLinkedTokenSource(stop.Token);
        var agents = Task.WhenAll(listen.Agents(result, addresses, options.Access).Select(agent => RunAgentAsync(agent, stop, over.Token)));
        try
        {
            await using (ShowWhileRunning?.Invoke(daemon.Hub, stop)) end = await daemon.RunAsync(stop.Token);
        }
        finally
        {
            // Whatever became of the match: nobody is left running.
            await over.CancelAsync();
            await agents.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        await agents;
        if (afterMatch is null || stop.Token.IsCancellationRequested) return end;
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

    private static async Task RunAgentAsync(AgentSupervisor agent, StopSignals stop, CancellationToken over)
    {
        try
        {
            await agent.RunAsync(over);
        }
        catch (AgentException)
        {
            // One that cannot even be started is a mistake on the command line: nobody wants the match without it.
            stop.Stop();
            throw;
        }
    }
}
