using System.CommandLine;
using Abathur.Sync.Sources.Push;

namespace Abathur.Sync.Cli;

/// <summary><c>serve</c>: waits for a bot that publishes its own observations.</summary>
internal static class ServeCommand
{
    private static readonly RecordOptionSet Record = new();

    private static readonly ListenOptionSet Listen = new(canDelay: true);

    public static Command Create()
    {
        var command = new Command("serve", "Publish the observations that a bot sends (Publish).");
        Record.AddTo(command);
        Listen.AddTo(command);
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult result, CancellationToken cancellation)
    {
        using var stop = Listen.ListenForStop(result, cancellation);
        await using var recorder = Record.Create(result);
        await new SourceRun(new PushSource(recorder, TimeProvider.System), Listen, result) { Recorder = recorder }.RunAsync(stop);
        if (recorder is null) return ExitCode.Ok;
        await recorder.DisposeAsync();
        GameSummary.LogRecording(recorder);
        return RecordOptionSet.ExitCodeOf(recorder);
    }
}
