using System.CommandLine;
namespace Abathur.Sync.Cli;

internal static class CatCommand { public static Command Create() => new("cat"); }
