using System.CommandLine;
using Abathur.Client;
using Abathur.Sc2;
using Abathur.Sc2.Api;
using Abathur.Sc2.Install;
using Abathur.Sync.Sources.Live;
using SC2APIProtocol;

namespace Abathur.Sync.Cli;

/// <summary><c>live</c>: plays or watches a game as its client, and publishes it.</summary>
internal static class LiveCommand
{
    private static readonly Option<string?> Game = new("--sc2")
    {
        Description = "Address of a running game. Default: the installed game is started (SC2PATH).",
        HelpName = "HOST:PORT",
    };

    private static readonly Option<string[]> Map = new("--map")
    {
        Description = "FILE.SC2Map in the game's Maps folder, or the name of a Battle.net map. Without it, a game that is already set "
            + "up is joined. With --games it may be repeated: one map a game, in turn.",
        HelpName = "MAP",
    };

    private static readonly Option<int> Games = new("--games")
    {
        Description = "Games to play, one after the other. 0: each when an agent asks for it (next_game), without end.",
        DefaultValueFactory = _ => 1,
        HelpName = "N",
    };

    private static readonly Option<uint?> Seed = new("--seed")
    {
        Description = "Seed of the game's random numbers, of 32 bits. The next games have the next numbers. Default: the game "
            + "chooses.",
        HelpName = "N",
    };

    private static readonly Option<string> RaceName = new("--race")
    {
        Description = "Race to play: terran, zerg, protoss, random.",
        DefaultValueFactory = _ => "random",
        HelpName = "RACE",
    };

    private static readonly Option<string[]> Opponent = new("--opponent")
    {
        Description = "A computer player, e.g. ai:zerg:elite. May be repeated; with --games, one a game, in turn.",
        HelpName = "ai:RACE:DIFFICULTY",
    };

    private static readonly Option<bool> Realtime = new("--realtime")
    {
        Description = "Let the game run by itself at 22.4 loops a second, instead of stepping it.",
    };

    private static readonly Option<int> Step = new("--step")
    {
        Description = "Game loops from one observation to the next.",
        DefaultValueFactory = _ => 1,
        HelpName = "N",
    };

    private static readonly Option<string?> Replay = new("--replay")
    {
        Description = "Watch a replay instead of playing.",
        HelpName = "FILE",
    };

    private static readonly Option<bool> Observe = new("--observe")
    {
        Description = "Watch the game as the player of --as-player instead of playing.",
    };

    private static readonly Option<int> AsPlayer = new("--as-player")
    {
        Description = "Player whose observations are taken from a replay or a watched game.",
        DefaultValueFactory = _ => 1,
        HelpName = "N",
    };

    private static readonly Option<bool> AllowActions = new("--allow-actions") { Description = "Let agents act in the game." };

    private static readonly Option<int> WaitAgents = new("--wait-agents")
    {
        Description = "Wait for this many agents before the first observation.",
        HelpName = "N",
    };

    private static readonly Option<double> ConnectTimeout = new("--connect-timeout")
    {
        Description = "Seconds to wait for the game to answer.",
        DefaultValueFactory = _ => 120,
        HelpName = "SECONDS",
    };

    private static readonly RecordOptionSet Record = new();

    private static readonly ListenOptionSet Listen = new(canDelay: true);

    public static Command Create()
    {
        Game.Must(text => text is null || HostPort.Parse(text) is not null, "--sc2 must be HOST:PORT, e.g. 127.0.0.1:5000.");
        RaceName.OneOf(StringComparer.OrdinalIgnoreCase, "terran", "zerg", "protoss", "random");
        Opponent.Validators.Add(result =>
        {
            foreach (var token in result.Tokens.Where(token => OpponentOption.Parse(token.Value) is null))
                result.AddError($"--opponent {token.Value}: expected {OpponentOption.Syntax}.");
        });
        Games.Must(count => count is >= 0 and <= 100_000, "--games must be 0 to 100000.");
        Step.Must(count => count is >= 1 and <= 1000, "--step must be 1 to 1000.");
        AsPlayer.Must(player => player is >= 0 and <= 16, "--as-player must be 0 (all) to 16.");
        WaitAgents.Must(count => count is >= 0 and <= 1000, "--wait-agents must be 0 to 1000.");
        ConnectTimeout.Must(seconds => seconds is >= 0 and <= 3600, "--connect-timeout must be 0 to 3600 seconds.");
        var command = new Command("live", "Play or watch a game as its client, and publish it.");
        command.AddGroup(
            "Game", Map, RaceName, Opponent, Games, Seed, Realtime, Step, Replay, Observe, AsPlayer, Game, ConnectTimeout, AllowActions,
            WaitAgents);
        command.Validators.Add(result =>
        {
            var maps = result.GetValue(Map) ?? [];
            if (result.GetValue(Replay) is not null && (maps.Length > 0 || result.GetValue(Opponent) is { Length: > 0 }))
                result.AddError("--replay cannot be combined with --map or --opponent.");
            // A default is not there yet, and another value may be no number.
            var games = result.GetResult(Games) is { Tokens: [var number] } && int.TryParse(number.Value, out var count) ? count : 1;
            if (games != 1 && maps.Length == 0) result.AddError("--games needs --map: what was set up is one game.");
            if (games > 0 && maps.Length > games) result.AddError("--map is repeated with --games only: one map a game.");
            if (result.GetResult(Seed) is not null && maps.Length == 0)
                result.AddError("--seed needs --map: a game that is already set up has its seed.");
            if (maps.Length == 0 && result.GetValue(Opponent) is { Length: > 0 } && result.GetValue(Replay) is null)
                result.AddError("--opponent needs --map: a game that is already set up has its players.");
            if (result.GetResult(AsPlayer) is { Implicit: false } && !result.GetValue(Observe) && result.GetValue(Replay) is null)
                result.AddError("--as-player needs --replay or --observe.");
            if (result.GetValue(Realtime) && result.GetResult(Step) is { Implicit: false })
                result.AddError("--step cannot be combined with --realtime.");
        });
        Record.AddTo(command);
        Listen.AddTo(command);
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult result, CancellationToken cancellationToken)
    {
        // Until the command reaches its first await, a signal ends the process immediately and would leave the started game running.
        await Task.Yield();
        using var stop = Listen.ListenForStop(result, cancellationToken);
        // A game may take minutes to answer.
        stop.WatchParent();
        await using var recordings = Record.Create(result);
        await using var process = result.GetValue(Game) is null ? GameProcess.Start(Install()) : null;
        var address = process is not null ? new HostPort("127.0.0.1", process.Port) : Address(result);
        await using var game = await GameClient.ConnectAsync(
            address.Host, address.Port, TimeSpan.FromSeconds(result.GetValue(ConnectTimeout)), TimeProvider.System, stop.Token, process);
        var source = new LiveSource(game, GamesOf(result, process is not null), recordings, TimeProvider.System)
        {
            MatchEnded = GameSummary.Handler(tellsEnd: true),
        };
        var run = new SourceRun(source, Listen, result);
        await run.RunAsync(stop);
        if (recordings is not null) await recordings.DisposeAsync();
        return run.ExitCodeOf(recordings);
    }

    private static GameInstall Install()
    {
        var path = Environment.GetEnvironmentVariable(GameInstall.PathVariable);
        try
        {
            return GameInstall.Find(path, GamePlaces.OfThisSystem());
        }
        catch (GameException e) when (string.IsNullOrEmpty(path))
        {
            throw new GameException($"{e.Message}, or name a running game with --sc2 HOST:PORT", e);
        }
    }

    private static HostPort Address(ParseResult result) =>
        HostPort.Parse(result.GetValue(Game)) ?? throw new CliException("--sc2 must be HOST:PORT", ExitCode.Usage);

    private static LiveGames GamesOf(ParseResult result, bool started) => new()
    {
        Count = result.GetValue(Games),
        Maps = result.GetValue(Map) ?? [],
        Opponents = [.. (result.GetValue(Opponent) ?? []).Select(OpponentOption.Parse).OfType<PlayerSetup>()],
        Seed = result.GetValue(Seed),
        Common = Options(result, started),
    };

    private static LiveOptions Options(ParseResult result, bool started) => new()
    {
        Race = OpponentOption.TryParseRace(result.GetRequiredValue(RaceName), out var race) ? race : Race.Random,
        ObservedPlayerId = result.GetValue(Observe) || result.GetValue(Replay) is not null ? (uint)result.GetValue(AsPlayer) : null,
        Replay = result.GetValue(Replay),
        Realtime = result.GetValue(Realtime),
        Step = (uint)result.GetValue(Step),
        AllowActions = result.GetValue(AllowActions),
        WaitForAgents = result.GetValue(WaitAgents),
        QuitAfterwards = started,
    };
}
