using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using Abathur.Client;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;
using Abathur.Sync.Sources.Proxy;

namespace Abathur.Sync.Cli;

/// <summary><c>proxy --listen PORT --sc2 HOST:PORT</c>: relays between a bot and its game, and publishes the observations.</summary>
internal static class ProxyCommand
{
    private static readonly Option<int> ListenPort = new("--listen")
    {
        Description = "TCP port on 127.0.0.1 to which the bot connects in place of the game; 0: any free one.",
        Required = true,
        HelpName = "PORT",
    };

    private static readonly Option<string> Game = new("--sc2")
    {
        Description = "Address of the game; any: each bot names a game on this machine, at ws://127.0.0.1:LISTEN/sc2api?game=PORT.",
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
        Game.Must(text => ParseGame(text) is not null, "--sc2 must be HOST:PORT, e.g. 127.0.0.1:5000, or any.");
        ConnectTimeout.Must(seconds => seconds is >= 0 and <= 3600, "--connect-timeout must be 0 to 3600 seconds.");
        var command = new Command("proxy", "Relay between a bot and its game, and publish the observations.");
        command.AddGroup("Game", ListenPort, Game, AllowActions, ConnectTimeout, Once);
        Record.AddTo(command);
        Listen.AddTo(command);
        command.SetAction(RunAsync);
        return command;
    }

    private static HostPort? ParseGame(string text) => text == AnyGame ? new HostPort("127.0.0.1", 0) : HostPort.Parse(text);

    private static async Task<int> RunAsync(ParseResult result, CancellationToken cancellation)
    {
        using var stop = Listen.ListenForStop(result, cancellation);
        var game = ParseGame(result.GetRequiredValue(Game)) ?? throw new CliException("--sc2 must be HOST:PORT or any", ExitCode.Usage);
        var options = new ProxyOptions
        {
            Listen = new IPEndPoint(IPAddress.Loopback, result.GetValue(ListenPort)),
            GameHost = game.Host,
            GamePort = game.Port,
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
                $"cannot listen for the bot on port {options.Listen.Port}: {e.Message}. Choose another with --listen (0: any free one).",
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
