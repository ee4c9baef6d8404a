using System.CommandLine;

namespace Abathur.Sync.Cli;

internal static class EntryPoint
{
    /// <summary>Longer than the daemon takes for agents that take nothing any more: whoever ends it gets its own exit code.</summary>
    private static readonly TimeSpan TerminationTimeout = TimeSpan.FromSeconds(15);

    private static Task<int> Main(string[] args)
    {
        var root = new RootCommand("Records, plays back and publishes StarCraft II observations.")
        {
            PlayCommand.Create(),
            ProxyCommand.Create(),
            LiveCommand.Create(),
            ServeCommand.Create(),
            EmulateCommand.Create(),
            SynthCommand.Create(),
            InfoCommand.Create(),
            CatCommand.Create(),
            RecoverCommand.Create(),
            ImportCommand.Create(),
            ExportCommand.Create(),
            StatusCommand.Create(),
            CompletionCommand.Create(),
        };
        LogOptionSet.AddTo(root);
        var parsed = root.Parse(args);
        LogOptionSet.Apply(parsed);
        if (parsed.Errors.Count > 0) return Task.FromResult(CliErrors.ReportUsage(parsed));
        return CliErrors.RunAsync(() => parsed.InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = TerminationTimeout }));
    }
}
