using System.Security.Cryptography;
using Abathur.Sc2;
using Abathur.Sc2.Api;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Live;

/// <summary>Sets up a game up to its first game loop: creates and joins a game, or starts a replay.</summary>
internal sealed class GameSetup(GameClient game, LiveOptions options)
{
    private const int ReplayIdLength = 32;

    /// <summary>Creates or joins a game by the options; returns the player whose observations are taken.</summary>
    /// <exception cref="GameException">The game refuses; the message has its reason.</exception>
    public async Task<uint> StartAsync(CancellationToken cancellationToken)
    {
        if (options.Replay is not null) return await StartReplayAsync(cancellationToken);
        if (options.Map is not null) await CreateAsync(cancellationToken);
        return await JoinAsync(cancellationToken);
    }

    /// <summary>The match id of a replay that can be read here: a hash of its content, so that the recordings of all its players are known
    /// to belong together. Empty otherwise.</summary>
    public static async Task<string> ReplayIdAsync(string? replay, CancellationToken cancellationToken)
    {
        if (replay is null || !File.Exists(replay)) return "";
        await using var file = File.OpenRead(replay);
        return Convert.ToHexStringLower(await SHA256.HashDataAsync(file, cancellationToken))[..ReplayIdLength];
    }

    private static InterfaceOptions Interface =>
        new() { Raw = true, Score = true, ShowCloaked = true, ShowBurrowedShadows = true, ShowPlaceholders = true };

    private async Task CreateAsync(CancellationToken cancellationToken)
    {
        var create = new RequestCreateGame { Realtime = options.Realtime };
        if (options.Map!.EndsWith(".SC2Map", StringComparison.OrdinalIgnoreCase)) create.LocalMap = new LocalMap { MapPath = options.Map };
        else create.BattlenetMapName = options.Map;
        if (options.Seed is { } seed) create.RandomSeed = seed;
        create.PlayerSetup.Add(new PlayerSetup
        {
            Type = options.ObservedPlayerId is null ? PlayerType.Participant : PlayerType.Observer,
            Race = options.Race,
        });
        create.PlayerSetup.AddRange(options.Opponents);
        var answer = (await game.SendAsync(new Request { CreateGame = create }, cancellationToken)).CreateGame;
        if (answer is { HasError: true }) throw Refusal("create the game", answer.Error, answer.ErrorDetails, Advice(answer.Error));
    }

    private async Task<uint> JoinAsync(CancellationToken cancellationToken)
    {
        var join = new RequestJoinGame { Options = Interface, PlayerName = "Abathur" };
        if (options.ObservedPlayerId is { } player) join.ObservedPlayerId = player;
        else join.Race = options.Race;
        var answer = (await game.SendAsync(new Request { JoinGame = join }, cancellationToken)).JoinGame;
        if (answer is { HasError: true }) throw Refusal("join the game", answer.Error, answer.ErrorDetails, Advice(answer.Error));
        return options.ObservedPlayerId ?? answer?.PlayerId ?? 0;
    }

    private async Task<uint> StartReplayAsync(CancellationToken cancellationToken)
    {
        var player = options.ObservedPlayerId ?? 1;
        var replay = new RequestStartReplay { Options = Interface, ObservedPlayerId = (int)player, Realtime = options.Realtime };
        // A path would refer to the game's machine; the content works on any machine.
        if (File.Exists(options.Replay))
            replay.ReplayData = Google.Protobuf.ByteString.CopyFrom(await File.ReadAllBytesAsync(options.Replay, cancellationToken));
        else replay.ReplayPath = options.Replay;
        var answer = (await game.SendAsync(new Request { StartReplay = replay }, cancellationToken)).StartReplay;
        if (answer is { HasError: true }) throw Refusal("start the replay", answer.Error, answer.ErrorDetails, Advice(answer.Error));
        return player;
    }

    private static GameException Refusal<T>(string what, T error, string details, string advice)
        where T : struct, System.Enum =>
        new($"the game cannot {what}: {error}{(details.Length > 0 ? $" ({details})" : "")}{(advice.Length > 0 ? $". {advice}" : "")}");

    private static string Advice(ResponseCreateGame.Types.Error error) => error switch
    {
        ResponseCreateGame.Types.Error.MissingMap => "Name one with --map.",
        ResponseCreateGame.Types.Error.InvalidMapPath => "The game looks for --map FILE.SC2Map in its Maps folder.",
        ResponseCreateGame.Types.Error.InvalidMapData => "The map file is damaged or of a newer game.",
        ResponseCreateGame.Types.Error.InvalidMapName =>
            "A name without .SC2Map is a Battle.net map that the game has already downloaded; for a file give FILE.SC2Map.",
        ResponseCreateGame.Types.Error.InvalidMapHandle => "The map cannot be loaded from Battle.net's cache.",
        ResponseCreateGame.Types.Error.MissingPlayerSetup => "Name an opponent with --opponent.",
        ResponseCreateGame.Types.Error.InvalidPlayerSetup => "The map does not allow these players: check --opponent.",
        ResponseCreateGame.Types.Error.MultiplayerUnsupported => "This game accepts one participant.",
        _ => "",
    };

    private static string Advice(ResponseJoinGame.Types.Error error) => error switch
    {
        ResponseJoinGame.Types.Error.MissingParticipation => "Choose --race, or --observe with --as-player.",
        ResponseJoinGame.Types.Error.InvalidObservedPlayerId => "--as-player names a player who is not in the game.",
        ResponseJoinGame.Types.Error.MissingPorts =>
            "The game is for several participants, which need a common port set: start it with one.",
        ResponseJoinGame.Types.Error.GameFull => "Another client has joined already.",
        ResponseJoinGame.Types.Error.MapDoesNotExist or ResponseJoinGame.Types.Error.CannotOpenMap => "Check --map.",
        ResponseJoinGame.Types.Error.NoSpaceForUser => "The map has no start location left.",
        _ => "",
    };

    private static string Advice(ResponseStartReplay.Types.Error error) => error switch
    {
        ResponseStartReplay.Types.Error.MissingReplay => "Name one with --replay.",
        ResponseStartReplay.Types.Error.InvalidReplayPath => "There is no such file here, nor in the game's Replays folder.",
        ResponseStartReplay.Types.Error.InvalidReplayData => "The file is damaged or not a replay.",
        ResponseStartReplay.Types.Error.InvalidMapData => "The replay's map is missing.",
        ResponseStartReplay.Types.Error.InvalidObservedPlayerId => "--as-player names a player who is not in the replay.",
        ResponseStartReplay.Types.Error.LaunchError => "The replay may be of another version of the game: start that one.",
        _ => "",
    };
}
