using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Abathur.Testing;

/// <summary>
/// Lets the signals that tests send to their programs do what they do by default. A suite that is started in the background, or under
/// nohup, inherits signals that are ignored, and so would each program that it starts.
/// </summary>
internal static class DefaultSignals
{
    private const int Hangup = 1;
    private const int Interrupt = 2;

#pragma warning disable CA2255 // Each test assembly that starts programs needs it, whichever test is the first.
    [ModuleInitializer]
    internal static void Restore()
#pragma warning restore CA2255
    {
        if (OperatingSystem.IsWindows()) return;
        foreach (var signal in (ReadOnlySpan<int>)[Hangup, Interrupt]) _ = SetHandler(signal, 0);
    }

    [DllImport("libc", EntryPoint = "signal")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint SetHandler(int signal, nint handler);
}
