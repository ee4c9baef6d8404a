using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Abathur.Sync.Hub.Scheduling;

/// <summary>Gives the calling thread the lowest priority.</summary>
internal static class LowPriorityThread
{
    private static readonly TimeSpan Turn = TimeSpan.FromMilliseconds(0.3);

    [ThreadStatic]
    private static long _turnBegan;

    [ThreadStatic]
    private static ProcessorWait? _wait;

    /// <summary>Lowers the priority of the calling thread for the rest of its life. If the system does not allow it, nothing
    /// changes.</summary>
    public static void Enter()
    {
        const int Thread = 0, ThisOne = 0, Nice = 10;
        System.Threading.Thread.CurrentThread.Priority = ThreadPriority.Lowest;
        // .NET's priorities have no effect on Linux, where each thread has its own nice value.
        if (!OperatingSystem.IsLinux()) return;
        _ = SetPriority(Thread, ThisOne, Nice);
        _wait = ProcessorWait.OfThisThread();
    }

    /// <summary>Gives the processor to a thread that has become ready, if this one has had it for <see cref="Turn"/>. Call it every 0.1 ms
    /// or so of computing: Linux may let this thread run on for up to 4 ms, whatever its priority, and a frame that is sent meanwhile comes
    /// so much later. Not at each call, because on a busy machine each turn is waited for.</summary>
    /// <remarks>Where other programs need the processors, this thread sleeps after each turn. Linux divides the processors among sessions
    /// and containers before it looks at priorities: if a process takes all of its share, each of its threads waits.</remarks>
    public static void LetOthersRun()
    {
        if (Stopwatch.GetElapsedTime(_turnBegan) < Turn) return;
        if (_wait?.IsLong() == true) Thread.Sleep(1);
        else Thread.Yield();
        _turnBegan = Stopwatch.GetTimestamp();
    }

    [DllImport("libc", EntryPoint = "setpriority")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetPriority(int which, uint who, int priority);
}
