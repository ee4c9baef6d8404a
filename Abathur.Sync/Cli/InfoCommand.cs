using System.CommandLine;
namespace Abathur.Sync.Cli;

internal static class InfoCommand { public static Command Create() => new("info"); }
