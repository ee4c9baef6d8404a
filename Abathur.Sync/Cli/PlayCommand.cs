using System.CommandLine;
using Abathur.Recordings;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Sources.Playback;

namespace Abathur.Sync.Cli;

/// <summary><c>play FILE</c>: publishes a recording to agents at the game's tick rate.</summary>
internal static class PlayCommand
{
    private const double MaxSeconds = 1e6;

    private static readonly Argument<string> FileArgument = new Argument<string>("FILE") { Description = "Recording (MCAP) to play." }
        .OrSample();

    private static readonly Option<double?> TickHz = new("--tick-hz")
    {
        Description = "Game loops per second: 22.4 (\"faster\") or 16 (\"normal\"). Default: as recorded.",
        HelpName = "HZ",
    };

    private static readonly Option<string> Rate = new("--rate", "-r")
    {
        Description = "Multiple of the tick rate, 0.1 to 1000, or \"unlimited\".",
        DefaultValueFactory = _ => "1",
        HelpName = "RATE",
    };

    private static readonly Option<bool> Loop = new("--loop", "-l") { Description = "Start again at the end." };

    private static readonly Option<bool> StartPaused = new("--start-paused")
    {
        Description = "Wait for a command (space, or an agent's Control) before the first frame.",
    };

    private static readonly Option<double> StartOffset = new("--start-offset")
    {
        Description = "Seconds of game time to skip at the start.",
        HelpName = "SECONDS",
    };

    private static readonly Option<double?> Duration = new("--playback-duration")
    {
        Description = "Seconds of game time to play. Default: to the end.",
        HelpName = "SECONDS",
    };

    private static readonly Option<int> WaitAgents = new("--wait-agents")
    {
        Description = "Wait for this many agents before the first frame.",
        HelpName = "N",
    };

    private static readonly ListenOptionSet Listen = new();

    public static Command Create()
    {
        TickHz.Must(hz => hz is null or 22.4 or 16, "--tick-hz must be 22.4 or 16.");
        Rate.Must(text => ParseRate(text) is not null, "--rate must be 0.1 to 1000, or unlimited.");
        StartOffset.Must(seconds => seconds is >= 0 and < MaxSeconds, "--start-offset must be 0 or more seconds.");
        Duration.Must(seconds => seconds is null or (> 0 and < MaxSeconds), "--playback-duration must be more than 0 seconds.");
        WaitAgents.Must(count => count is >= 0 and <= 1000, "--wait-agents must be 0 to 1000.");
        var command = new Command(
            "play",
            "Play a recording to agents at the game's tick rate.") { FileArgument };
        command.AddGroup("Playback", Rate, Loop, StartPaused, StartOffset, Duration, WaitAgents, TickHz);
        Listen.AddTo(command);
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult result, CancellationToken cancellationToken)
    {
        using var stop = Listen.ListenForStop(result, cancellationToken);
        var options = new PlaybackOptions
        {
            TickHz = result.GetValue(TickHz),
            Rate = ParseRate(result.GetValue(Rate)!)!.Value,
            Loop = result.GetValue(Loop),
            StartPaused = result.GetValue(StartPaused),
            StartOffset = TimeSpan.FromSeconds(result.GetValue(StartOffset)),
            Duration = result.GetValue(Duration) is { } seconds ? TimeSpan.FromSeconds(seconds) : null,
            WaitForAgents = result.GetValue(WaitAgents),
        };
        var path = SampleRecording.Of(result, FileArgument);
        using var opening = new StoppableOpening(stop.Token);
        using var recording = RecordingReader.Open(path, cancellationToken: opening.Token);
        // A match that is stopped later ends in order, between two frames.
        opening.End();
        if (recording.Damage is { } damage)
        {
            LogMessages.RecordingTruncated(ProgramLog.Logger, path, damage, ProgramName.Current);
        }
        using var source = new PlaybackSource(recording, options, TimeProvider.System);
        var run = new SourceRun(source, Listen, result)
        {
            Name = Path.GetFileNameWithoutExtension(path),
            ShowWhileRunning = (run, stop) => PlaybackView.Start(source, run, stop),
        };
        await run.RunAsync(stop);
        return ExitCode.Ok;
    }

    private static double? ParseRate(string text)
    {
        if (text == "unlimited") return 0;
        return NumberText.TryParse<double>(text, out var rate) && rate is >= PlaybackOptions.MinRate and <= PlaybackOptions.MaxRate
            ? rate
            : null;
    }
}
