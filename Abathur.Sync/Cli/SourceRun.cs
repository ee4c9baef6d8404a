using System.CommandLine;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Relay;
using Abathur.Sync.Sources;

namespace Abathur.Sync.Cli;

/// <summary>Runs a daemon with a source until its last match is over or the command is stopped. Shared by all commands with a
/// source.</summary>
internal sealed class SourceRun(IMatchSource source, ListenOptionSet listen, ParseResult result)
{
    /// <summary>Further addresses for the ready line.</summary>
    public string More { get; init; } = "";

    /// <summary>Name of the match where the user gives none. Default: that of the command.</summary>
    public string Name { get; init; } = result.CommandResult.Command.Name;

    /// <summary>Shows the match on a terminal until it is disposed; it may stop the match.</summary>
    public Func<MatchRun, StopSignals, IAsyncDisposable>? ShowWhileRunning { get; init; }

    /// <summary>Whether a match was lost: the game, or the bot that publishes, has disconnected in it.</summary>
    public bool AnyLost { get; private set; }

    /// <summary>Exit code of a command that has completed: the matches go on if one is lost or cannot be recorded, and it says
    /// so.</summary>
    /// <param name="recordings">Of the matches, complete; null: none.</param>
    public int ExitCodeOf(MatchRecordings? recordings) =>
        AnyLost || recordings is { AnyFailed: true } ? ExitCode.Failed : ExitCode.Ok;

    /// <summary>Runs the matches.</summary>
    /// <param name="stop">Ends it early.</param>
    /// <param name="afterMatch">Awaited after the match, unless the daemon is told to stop.</param>
    public async Task<SubscriptionEnd> RunAsync(StopSignals stop, Func<Task>? afterMatch = null)
    {
        // A program that reads the ready line may send SIGTERM at once; the command line takes care of it when this method has returned a
        // task.
        await Task.Yield();
        var options = listen.Read(result);
        using var match = listen.TakeName(result, Name);
        await using var daemon = new Daemon(source, options, TimeProvider.System);
        var relay = listen.Relay(result, daemon.Api, options.Access);
        var addresses = await daemon.StartAsync(stop.Token);
        if (match is not null) Publish(match, addresses, options);
        Console.Out.WriteLine($"ready {addresses}{(More.Length > 0 ? " " : "")}{More}");
        if (!Console.IsErrorRedirected && addresses.Http is { } http)
            Console.Error.WriteLine($"dashboard: {(options.Access.Tls is null ? "http" : "https")}://{http}/");
        stop.WatchParent();
        SubscriptionEnd end;
        using var noMore = new CancellationTokenSource();
        using var relayOver = new CancellationTokenSource();
        var relaying = relay?.RunAsync(noMore.Token, relayOver.Token) ?? Task.CompletedTask;
        using var over = CancellationTokenSource.CreateLinkedTokenSource(stop.Token);
        var agents = Task.WhenAll(
            listen.Agents(result, addresses, options.Access).Select(agent => RunAgentAsync(agent, daemon, stop, over.Token)));
        try
        {
            await using (ShowWhileRunning?.Invoke(daemon.Run, stop)) end = await daemon.RunAsync(stop.Token);
        }
        finally
        {
            AnyLost = daemon.AnyLost;
            // Ends all agents, however the match ended.
            await over.CancelAsync();
            await noMore.CancelAsync();
            relayOver.CancelAfter(RelaySupervisor.FinishTimeout);
            await relaying;
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

    private void Publish(LocalMatch match, BoundAddresses addresses, DaemonOptions options)
    {
        try
        {
            match.Publish(result.CommandResult.Command.Name, addresses, options.Access.Tls is not null, TimeProvider.System.GetUtcNow());
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            LogMessages.MatchNotListed(ProgramLog.Logger, e.Message);
        }
    }

    private static async Task RunAgentAsync(AgentSupervisor agent, Daemon daemon, StopSignals stop, CancellationToken over)
    {
        try
        {
            await agent.RunAsync(() => daemon.Run, daemon.WaitForEndAsync, over);
        }
        catch (AgentException)
        {
            // An agent that cannot be started is an error in the command line: the command stops instead of playing without it.
            stop.Stop();
            throw;
        }
    }
}
