using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Abathur.Recordings.Files;

/// <summary>Identifies a file independent of its name: volume and file number. Links are not followed.</summary>
/// <remarks>Linux (statx) and Windows (GetFileInformationByHandle); elsewhere it is unknown.</remarks>
/// <param name="Volume">The file system.</param>
/// <param name="Number">The inode, or the file index.</param>
/// <param name="Kind">Its kind.</param>
internal readonly partial record struct FileIdentity(ulong Volume, ulong Number, FileKind Kind)
{
    private const int CurrentFolder = -100, NoFollow = 0x100, EmptyPath = 0x1000;
    private const uint TypeAndInode = 0x101;

    /// <summary>Whether this system supports it.</summary>
    public static bool IsSupported { get; } = OperatingSystem.IsWindows() || (OperatingSystem.IsLinux() && HasStatx());

    /// <summary>The identity of an open file.</summary>
    /// <exception cref="IOException">The system returned an error.</exception>
    public static FileIdentity Of(SafeFileHandle handle)
    {
        if (OperatingSystem.IsWindows()) return OfWindows(handle);
        var held = false;
        try
        {
            handle.DangerousAddRef(ref held);
            return Stat((int)handle.DangerousGetHandle(), "", EmptyPath, out var identity)
                ? identity
                : throw Error("cannot identify the open file");
        }
        finally
        {
            if (held) handle.DangerousRelease();
        }
    }

    /// <summary>The identity of a path; <see cref="FileKind.None"/> if it does not exist or cannot be looked up.</summary>
    public static FileIdentity At(string path)
    {
        if (!IsSupported) return Guess(path);
        if (!OperatingSystem.IsWindows()) return Stat(CurrentFolder, path, NoFollow, out var identity) ? identity : default;
        var kind = Guess(path);
        if (kind.Kind != FileKind.Regular) return kind;
        try
        {
            using var handle = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return OfWindows(handle);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The file exists, but its identity is unknown.
            return kind;
        }
    }

    /// <summary>The identity of a path after following links.</summary>
    public static FileIdentity AtEndOfLinks(string path) =>
        IsSupported && !OperatingSystem.IsWindows() ? Stat(CurrentFolder, path, 0, out var identity) ? identity : default : Guess(path);

    private static FileIdentity Guess(string path)
    {
        if (new FileInfo(path).LinkTarget is not null) return new FileIdentity(0, 0, FileKind.Link);
        if (Directory.Exists(path)) return new FileIdentity(0, 0, FileKind.Folder);
        return new FileIdentity(0, 0, File.Exists(path) ? FileKind.Regular : FileKind.None);
    }

    private static bool Stat(int folder, string path, int flags, out FileIdentity identity)
    {
        // struct statx is the same on every architecture: mode at 28, inode at 32, device at 136 and 140.
        Span<byte> fields = stackalloc byte[256];
        identity = default;
        if (Statx(folder, [.. Encoding.UTF8.GetBytes(path), 0], flags, TypeAndInode, ref MemoryMarshal.GetReference(fields)) != 0)
            return false;
        var kind = (MemoryMarshal.Read<ushort>(fields[28..]) & 0xF000) switch
        {
            0x8000 => FileKind.Regular,
            0x4000 => FileKind.Folder,
            0xA000 => FileKind.Link,
            0x1000 => FileKind.Pipe,
            0xC000 => FileKind.Socket,
            _ => FileKind.Device,
        };
        var volume = ((ulong)MemoryMarshal.Read<uint>(fields[136..]) << 32) | MemoryMarshal.Read<uint>(fields[140..]);
        identity = new FileIdentity(volume, MemoryMarshal.Read<ulong>(fields[32..]), kind);
        return true;
    }

    private static bool HasStatx()
    {
        try
        {
            return Stat(CurrentFolder, "/", NoFollow, out _);
        }
        catch (EntryPointNotFoundException)
        {
            return false;
        }
    }

    private static FileIdentity OfWindows(SafeFileHandle handle)
    {
        if (!GetFileInformationByHandle(handle, out var found)) throw Error("cannot identify the open file");
        return new FileIdentity(found.Volume, ((ulong)found.IndexHigh << 32) | found.IndexLow, FileKind.Regular);
    }

    private static IOException Error(string what) => new($"{what}: {Marshal.GetLastPInvokeErrorMessage()}");

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true)]
    private static partial int Statx(int folder, byte[] path, int flags, uint mask, ref byte result);

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetFileInformationByHandle(SafeFileHandle file, out HandleInformation information);

    // BY_HANDLE_FILE_INFORMATION.
    [StructLayout(LayoutKind.Sequential)]
    private struct HandleInformation
    {
        public uint Attributes;
        public long Created, Accessed, Written;
        public uint Volume, SizeHigh, SizeLow, Links, IndexHigh, IndexLow;
    }
}
