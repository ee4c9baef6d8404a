using System.CommandLine;

namespace Abathur.Sync.Cli;

internal static class EntryPoint
{
    private static int Main(string[] args) => new RootCommand("StarCraft II observation daemon") { SynthCommand.Create() }.Parse(args).Invoke();
}
