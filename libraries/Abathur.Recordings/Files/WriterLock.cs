using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Abathur.Recordings.Files;

/// <summary>The lock of a writer on its file, until the handle is closed or the process ends in any way. Readers are allowed.</summary>
/// <remarks>
/// On Windows <see cref="FileShare.Read"/> is that lock. On Linux .NET uses the same shared lock for such writers as for readers, so this
/// uses a write lock of the open file description (fcntl, F_OFD_SETLK) on the whole file: advisory, independent of the locks of readers,
/// and not released when another handle of the same process is closed. On other systems, and on file systems without locks, other writers
/// are not excluded.
/// </remarks>
internal static partial class WriterLock
{
    private const int SetLock = 37, TryAgain = 11, AccessDenied = 13;
    private const short WriteLock = 1;

    /// <summary>Acquires the lock. False if another writer has it.</summary>
    /// <param name="handle">The file, open for writing.</param>
    public static bool TryTake(SafeFileHandle handle)
    {
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess) return true;
        var whole = new Region { Type = WriteLock };
        var held = false;
        try
        {
            handle.DangerousAddRef(ref held);
            return Fcntl((int)handle.DangerousGetHandle(), SetLock, ref whole) == 0
                || Marshal.GetLastPInvokeError() is not (TryAgain or AccessDenied);
        }
        finally
        {
            if (held) handle.DangerousRelease();
        }
    }

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int Fcntl(int file, int command, ref Region region);

    // struct flock of 64-bit Linux. Length 0: to the end, wherever that will be.
    [StructLayout(LayoutKind.Sequential)]
    private struct Region
    {
        public short Type, Whence;
        public long Start, Length;
        public int Process;
    }
}
