using System.CommandLine;
using System.Text;
using Abathur.Sync.Cli;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync;

/// <summary>The command line of the daemon.</summary>
internal static class Program
{
    /// <summary>Longer than the daemon waits for agents that have stopped reading, so that the process still ends with its own exit
    /// code.</summary>
    private static readonly TimeSpan TerminationTimeout = TimeSpan.FromSeconds(15);

    private static Task<int> Main(string[] args)
    {
        if (OperatingSystem.IsWindows()) SpeakUtf8();
        var parsed = CreateRoot().Parse(args);
        LogOptionSet.Apply(parsed);
        if (parsed.Errors.Count > 0 || CliErrors.OptionTakenAsArgument(parsed) is not null)
            return Task.FromResult(CliErrors.ReportUsage(parsed));
        return CliErrors.RunAsync(() => LongTask.Invoke(() => parsed.InvokeAsync(
            new InvocationConfiguration
            {
                EnableDefaultExceptionHandler = false,
                ProcessTerminationTimeout = TerminationTimeout,
                Error = new PrintableWriter(Console.Error),
            })));
    }

    /// <summary>The whole command line.</summary>
    public static RootCommand CreateRoot()
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
            RelayCommand.Create(),
            CompletionCommand.Create(),
        };
        LogOptionSet.AddTo(root);
        HelpText.Use(root);
        OptionRules.AddToAll(root);
        return root;
    }

    /// <summary>The code pages of Windows lack the arrow characters and some map names, and programs that read a pipe expect
    /// UTF-8.</summary>
    private static void SpeakUtf8()
    {
        var utf8 = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        if (Console.IsOutputRedirected) Console.SetOut(new StreamWriter(Console.OpenStandardOutput(), utf8) { AutoFlush = true });
        if (Console.IsErrorRedirected) Console.SetError(new StreamWriter(Console.OpenStandardError(), utf8) { AutoFlush = true });
        if (!Console.IsOutputRedirected || !Console.IsErrorRedirected) Console.OutputEncoding = utf8;
    }
}
