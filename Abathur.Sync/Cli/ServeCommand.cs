using System.CommandLine;
using Abathur.Sync.Sources.Push;

namespace Abathur.Sync.Cli;

/// <summary><c>serve</c>: waits for a bot that publishes its own observations.</summary>
internal static class ServeCommand
{
    private static readonly Option<bool> Once = CreateOnce();

    private static readonly RecordOptionSet Record = new();

    private static readonly ListenOptionSet Listen = new(canDelay: true);

    /// <summary><c>--once</c> of the commands that go on after a match.</summary>
    public static Option<bool> CreateOnce() => new("--once") { Description = "End after one match, instead of waiting for the next." };

    public static Command Create()
    {
        var command = new Command("serve", "Publish the observations that a bot sends (Publish).");
        command.AddGroup("Game", Once);
        Record.AddTo(command);
        Listen.AddTo(command);
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult result, CancellationToken cancellationToken)
    {
        using var stop = Listen.ListenForStop(result, cancellationToken);
        await using var recordings = Record.Create(result);
        var once = result.GetValue(Once);
        var source = new PushSource(recordings, TimeProvider.System)
        {
            Once = once,
            MatchEnded = GameSummary.Handler(tellsEnd: !once),
        };
        var run = new SourceRun(source, Listen, result);
        await run.RunAsync(stop);
        if (recordings is not null) await recordings.DisposeAsync();
        return run.ExitCodeOf(recordings);
    }
}
