using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using Abathur.Client;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;
using Abathur.Sync.Sources.Proxy;

namespace Abathur.Sync.Cli;

/// <summary><c>proxy --listen PORT --sc2 HOST:PORT</c>: relays between bots and their games, and publishes the observations.</summary>
internal static class ProxyCommand
{
    private static readonly Option<int> ListenPort = new("--listen")
    {
        Description = "TCP port on 127.0.0.1 to which the bot connects in place of the game; 0: any free one.",
        Required = true,
        HelpName = "PORT",
    };

    private static readonly Option<string[]> Games = new("--sc2")
    {
        Description = "Address of a game; may be repeated: each bot gets the next that is free. any: each bot names a game on this "
            + "machine, at ws://127.0.0.1:LISTEN/sc2api?game=PORT.",
        Required = true,
        HelpName = "HOST:PORT|any",
    };

    private const string AnyGame = "any";

    private static readonly Option<bool> AllowActions = new("--allow-actions")
    {
        Description = "Let agents act in the game, between the bot's requests.",
    };

    private static readonly Option<double> ConnectTimeout = new("--connect-timeout")
    {
        Description = "Seconds that a bot's connection waits for a game that is still starting.",
        DefaultValueFactory = _ => 30,
        HelpName = "SECONDS",
    };

    private static readonly Option<bool> Once = ServeCommand.CreateOnce();

    private static readonly RecordOptionSet Record = new();

    private static readonly ListenOptionSet Listen = new(canDelay: true);

    public static Command Create()
    {
        ListenPort.Must(port => port is >= 0 and <= DaemonOptions.MaxPort, "--listen must be 0 to 65535.");
        Games.Must(texts => Parse(texts) is not null, "--sc2 must be HOST:PORT, e.g. 127.0.0.1:5000, or any alone.");
        Games.Must(texts => texts.Distinct().Count() == texts.Length, "--sc2 has the same game twice: a game has one client.");
        ConnectTimeout.Must(seconds => seconds is >= 0 and <= 3600, "--connect-timeout must be 0 to 3600 seconds.");
        var command = new Command("proxy", "Relay between bots and their games, and publish the observations.");
        command.AddGroup("Game", ListenPort, Games, AllowActions, ConnectTimeout, Once);
        Record.AddTo(command);
        Listen.AddTo(command);
        command.SetAction(RunAsync);
        return command;
    }

    /// <summary>The games; empty: any; null: the text is something else.</summary>
    private static HostPort[]? Parse(string[] texts)
    {
        if (texts is [AnyGame]) return [];
        var games = texts.Select(text => HostPort.Parse(text)).ToArray();
        return Array.Exists(games, game => game is null) ? null : [.. games.Select(game => game!.Value)];
    }

    private static async Task<int> RunAsync(ParseResult result, CancellationToken cancellationToken)
    {
        using var stop = Listen.ListenForStop(result, cancellationToken);
        var options = new ProxyOptions
        {
            Listen = new IPEndPoint(IPAddress.Loopback, result.GetValue(ListenPort)),
            Games = Parse(result.GetRequiredValue(Games)) ?? throw new CliException("--sc2 must be HOST:PORT or any", ExitCode.Usage),
            AllowActions = result.GetValue(AllowActions),
            Once = result.GetValue(Once),
            ConnectTimeout = TimeSpan.FromSeconds(result.GetValue(ConnectTimeout)),
        };
        await using var recordings = Record.Create(result);
        await using var source = new ProxySource(
            options, recordings, ProgramLog.Factory.CreateLogger(ProgramLog.Proxy), TimeProvider.System)
        {
            MatchEnded = GameSummary.Handler(tellsEnd: !options.Once),
        };
        SourceRun run;
        try
        {
            run = new SourceRun(source, Listen, result) { More = $"sc2api={source.Listen()}" };
            // The bot may stay connected long after the only match.
            await run.RunAsync(stop, () => source.Relayed);
        }
        catch (SocketException e)
        {
            throw new ListenException(
                $"cannot listen for bots on port {options.Listen.Port}: {e.Message}. Choose another with --listen (0: any free one).",
                e);
        }
        // Everything that was relayed is recorded before the recording is closed.
        await source.DisposeAsync();
        if (recordings is not null) await recordings.DisposeAsync();
        if (source.MessagesDropped > 0) LogMessages.MessagesDropped(ProgramLog.Logger, source.MessagesDropped);
        if (source.MessagesUnreadable > 0) LogMessages.MessagesUnreadable(ProgramLog.Logger, source.MessagesUnreadable);
        return run.ExitCodeOf(recordings);
    }
}
