using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text;

namespace Abathur.Client;

/// <summary>
/// The folder of the directory of matches, of this user and of this machine. The daemon, which writes entries there, compiles this file as
/// well.
/// </summary>
internal static class MatchesFolder
{
    private const UnixFileMode Private = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
    private const string Name = "matches";

    // AT_FDCWD and STATX_UID.
    private const int CurrentFolder = -100;
    private const uint Owner = 0x8;

    /// <summary>Its path, after a check that no other user can put entries there: where it exists, it is private to this user, and no
    /// other user can replace a folder above it. It need not exist.</summary>
    /// <exception cref="IOException">It cannot be used; the message says why, and what to do.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder above it may not be looked at.</exception>
    public static string Find()
    {
        var (root, below) = Place();
        if (!Path.IsPathFullyQualified(root))
            throw new IOException($"'{root}' is not the path of a home folder: set HOME, or XDG_RUNTIME_DIR");
        if (!Directory.Exists(root)) throw new IOException($"the folder {root} does not exist: set HOME, or XDG_RUNTIME_DIR");
        var path = root;
        if (!OperatingSystem.IsWindows()) Check(path, isLast: false);
        foreach (var name in below)
        {
            path = Path.Combine(path, name);
            if (!OperatingSystem.IsWindows() && Directory.Exists(path)) Check(path, isLast: name == Name);
        }
        return path;
    }

    /// <summary>The same, after it was made if it did not exist.</summary>
    /// <inheritdoc cref="Find"/>
    public static string Create()
    {
        var path = Find();
        if (OperatingSystem.IsWindows()) return Directory.CreateDirectory(path).FullName;
        Directory.CreateDirectory(path, Private);
        // Another user may have made it between.
        return Find();
    }

    private static (string Root, string[] Below) Place()
    {
        if (OperatingSystem.IsWindows())
            return (Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData), ["abathur", Name]);
        if (Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR") is { Length: > 0 } runtime) return (runtime, ["abathur", Name]);
        // By default, the path of a folder that does not exist is empty. A home folder may be shared by machines.
        var home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile, Environment.SpecialFolderOption.DoNotVerify);
        return (home, [".local", "state", "abathur", Environment.MachineName, Name]);
    }

    [UnsupportedOSPlatform("windows")]
    private static void Check(string path, bool isLast)
    {
        var owner = OwnerOf(path);
        if (owner is not null && owner != EffectiveUser() && (isLast || owner != 0))
            throw new IOException($"the folder {path} belongs to another user (number {owner}): its entries are not trusted");
        var mode = File.GetUnixFileMode(path);
        if (isLast && (mode & ~Private & ~(UnixFileMode.StickyBit | UnixFileMode.SetGroup)) != 0)
            throw new IOException($"other users may use the folder {path}: chmod 700 it, after you have looked at what is in it");
        if (!isLast && (mode & UnixFileMode.OtherWrite) != 0 && (mode & UnixFileMode.StickyBit) == 0)
            throw new IOException($"other users may write to the folder {path}: chmod o-w it");
    }

    /// <summary>Number of the user to whom a file belongs; null where the system has no statx.</summary>
    private static uint? OwnerOf(string path)
    {
        if (!OperatingSystem.IsLinux()) return null;
        // struct statx is the same on every architecture: the owner is at 20.
        var fields = new byte[256];
        try
        {
            return Statx(CurrentFolder, [.. Encoding.UTF8.GetBytes(path), 0], 0, Owner, fields) == 0
                ? BitConverter.ToUInt32(fields, 20)
                : throw new IOException($"cannot look at the folder {path}: {Marshal.GetLastPInvokeErrorMessage()}");
        }
        catch (EntryPointNotFoundException)
        {
            return null;
        }
    }

    [DllImport("libc", EntryPoint = "statx", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Statx(int folder, byte[] path, int flags, uint mask, byte[] result);

    [DllImport("libc", EntryPoint = "geteuid")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern uint EffectiveUser();
}
