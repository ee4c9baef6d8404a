using System.Runtime.InteropServices;

namespace Abathur.Sync.Scheduling;

/// <summary>Gives the calling thread the lowest priority.</summary>
internal static class LowPriorityThread
{
    private const int Nice = 10;

    /// <summary>How long it may run, in nanoseconds, before a thread that has become ready gets its processor. Linux lets a thread run for
    /// 3 ms, whatever its priority, and frames would wait so long.</summary>
    private const ulong SliceNs = 100_000;

    /// <summary>Lowers the priority of the calling thread for the rest of its life. If the system does not allow it, nothing
    /// changes.</summary>
    public static void Enter()
    {
        Thread.CurrentThread.Priority = ThreadPriority.Lowest;
        // .NET's priorities have no effect on Linux, where each thread has its own nice value.
        if (!OperatingSystem.IsLinux()) return;
        const int Thread_ = 0, ThisOne = 0;
        _ = SetPriority(Thread_, ThisOne, Nice);
        if (SetAttributesNumber is not { } number) return;
        var attributes = new SchedulingAttributes { Size = Marshal.SizeOf<SchedulingAttributes>(), Nice = Nice, Runtime = SliceNs };
        _ = SetAttributes(number, ThisOne, in attributes, 0);
    }

    /// <summary>The number of the system call; null where it is not known.</summary>
    private static nint? SetAttributesNumber => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 314,
        Architecture.Arm64 => 274,
        _ => null,
    };

    [DllImport("libc", EntryPoint = "setpriority")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetPriority(int which, uint who, int priority);

    // sched_setattr, which the C library has only since its version 2.41.
    [DllImport("libc", EntryPoint = "syscall")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint SetAttributes(nint number, int thread, in SchedulingAttributes attributes, uint flags);

    /// <summary>The kernel's <c>sched_attr</c> in its first version. Kernels before 6.12 ignore the slice.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct SchedulingAttributes
    {
        public int Size;
        public int Policy;
        public ulong Flags;
        public int Nice;
        public uint Priority;
        public ulong Runtime;
        public ulong Deadline;
        public ulong Period;
    }
}
