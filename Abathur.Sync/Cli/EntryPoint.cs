namespace Abathur.Sync.Cli;

internal static class EntryPoint
{
    private static int Main() => 0;
}
