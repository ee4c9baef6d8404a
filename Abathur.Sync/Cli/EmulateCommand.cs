using System.CommandLine;
using System.CommandLine.Parsing;
using Abathur.Emulator;
using Abathur.Emulator.MatchData;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hosting.Emulator;
using SC2APIProtocol;

namespace Abathur.Sync.Cli;

/// <summary><c>emulate FILE --listen PORT</c>: a server that speaks the game's API from a recording.</summary>
internal static class EmulateCommand
{
    private static readonly Argument<string> FileArgument = new Argument<string>("FILE")
    {
        Description = "Recording (MCAP); or serialized observations, or a folder of them, with game_info.binpb beside and "
            + "game_data.binpb there or in the folder above.",
    }.OrSample();

    private static readonly Option<int> Listen = new("--listen")
    {
        Description = "TCP port of ws://127.0.0.1:PORT/sc2api; 0: any free one.",
        DefaultValueFactory = _ => new EmulatorServerOptions().Port,
        HelpName = "PORT",
    };

    private static readonly Option<string?> GameInfo = new("--game-info")
    {
        Description = "Serialized ResponseGameInfo. Default: the recording's.",
        HelpName = "FILE",
    };

    private static readonly Option<string?> GameData = new("--game-data")
    {
        Description = "Serialized ResponseData. Default: the recording's.",
        HelpName = "FILE",
    };

    private static readonly Option<uint> Start = new("--start")
    {
        Description = "Game loop at which each match begins: with the first observation at or after it. Default: the recording's first.",
        HelpName = "LOOP",
    };

    private static readonly Option<uint?> Stop = new("--stop")
    {
        Description = "Game loop at which each match ends: with the last observation at or before it. Default: the recording's last.",
        HelpName = "LOOP",
    };

    private static readonly Option<bool> Realtime = new("--realtime")
    {
        Description = "Advance by the clock even if the client does not create the game, as on a ladder.",
    };

    private static readonly Option<double> TickHz = new("--tick-hz")
    {
        Description = "Game loops per second in real time: 22.4 (\"faster\") or 16 (\"normal\").",
        DefaultValueFactory = _ => new EmulatorOptions().TickHz,
        HelpName = "HZ",
    };

    private static readonly Option<string> Outcome = new("--result")
    {
        Description = "Result of the recorded player if the recording has none, or --stop is before its end: victory, defeat, tie or "
            + "undecided.",
        DefaultValueFactory = _ => "undecided",
        HelpName = "RESULT",
    };

    private static readonly Option<string?> Actions = new("--actions")
    {
        Description = "Write the client's actions to this file, one JSON object a line.",
        HelpName = "OUT",
    };

    private static readonly Option<bool> Force = new("--force", "-f") { Description = "Replace the file of --actions if it exists." };

    private static readonly StopWithParentOption StopWithParent = new();

    public static Command Create()
    {
        Listen.Must(port => port is >= 0 and <= DaemonOptions.MaxPort, "--listen must be 0 to 65535.");
        TickHz.Must(hz => hz is 22.4 or 16, "--tick-hz must be 22.4 or 16.");
        Outcome.OneOf("victory", "defeat", "tie", "undecided");
        var command = new Command("emulate", "Speak the game's API from a recording, so that a bot runs without the game.")
        {
            FileArgument, Listen, GameInfo, GameData, Start, Stop, Realtime, TickHz, Outcome, Actions, Force,
        };
        command.Add(StopWithParent.Option);
        command.Validators.Add(result =>
        {
            if (NumberOf(result, Stop) is { } stop && NumberOf(result, Start) is { } start && stop < start)
                result.AddError($"--stop {stop} is before --start {start}.");
        });
        command.SetAction(RunAsync);
        return command;
    }

    /// <summary>The value of an option; null if it is not given, or is no number, which the rules of all values report.</summary>
    private static uint? NumberOf(CommandResult command, Option option) =>
        command.GetResult(option)?.Tokens is [var token] && NumberText.TryParse<uint>(token.Value, out var number) ? number : null;

    private static async Task<int> RunAsync(ParseResult result, CancellationToken cancellationToken)
    {
        var options = new EmulatorOptions
        {
            Realtime = result.GetValue(Realtime),
            TickHz = result.GetValue(TickHz),
            Result = Enum.Parse<Result>(result.GetValue(Outcome)!, ignoreCase: true),
            StartGameLoop = result.GetValue(Start),
            StopGameLoop = result.GetValue(Stop),
        };
        var path = SampleRecording.Of(result, FileArgument);
        using var stop = StopWithParent.Listen(result, cancellationToken);
        using var opening = new StoppableOpening(stop.Token);
        using var input = EmulatorInput.Open(path, result.GetValue(GameInfo), result.GetValue(GameData), opening.Token);
        var match = EmulatedMatch.Load(
            input.Recording, path, input.GameInfo, input.GameData, options.Result, options.StartGameLoop, options.StopGameLoop);
        // A client of the game reads until its session ends.
        opening.End();
        if (input.Recording.Damage is { } damage)
        {
            LogMessages.RecordingTruncated(ProgramLog.Logger, path, damage, ProgramName.Current);
        }
        if (match.RaceMismatch is { } races)
        {
            LogMessages.EmulatorWarning(
                ProgramLog.Logger,
                $"the game info says that player {match.PlayerId} is {races.GameInfo}, but the recorded player's units are "
                    + $"{races.Units}: a bot takes its race from the game info. " +
                "Give the game info of the same match with --game-info FILE.");
        }
        using var actions = new ActionLog(result.GetValue(Actions), result.GetValue(Force));
        var game = new GameEmulator(
            match, new ObservationTimeline(input.Recording), options, TimeProvider.System, actions,
            problem => LogMessages.EmulatorWarning(ProgramLog.Logger, problem));
        await using (
            var server = new EmulatorServer(game, new EmulatorServerOptions { Port = result.GetValue(Listen) }, TimeProvider.System))
        {
            var addresses = await server.StartAsync(stop.Token);
            Console.Out.WriteLine($"ready {addresses}");
            stop.WatchParent();
            await Task.WhenAny(server.Quit, Task.Delay(Timeout.Infinite, stop.Token));
        }
        LogMessages.EmulatorEnded(ProgramLog.Logger, path, game.MatchCount, game.ObservationCount, actions.ActionCount);
        return Report(path, game, actions);
    }

    private static int Report(string path, GameEmulator game, ActionLog actions)
    {
        if (game.Damage is { } damage)
            throw new CliException($"{path}: the matches ended where the recording is damaged: {damage}", ExitCode.BadInput);
        if (actions.Failure is { } failure) throw new CliException($"not all actions were written: {failure}", ExitCode.Failed);
        return ExitCode.Ok;
    }
}
