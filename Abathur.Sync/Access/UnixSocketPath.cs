using System.Net.Sockets;

namespace Abathur.Sync.Access;

/// <summary>The path of a Unix domain socket.</summary>
internal static class UnixSocketPath
{
    /// <summary>The full path of a socket; null with the reason if the system does not accept it.</summary>
    public static string? TryResolve(string path, out string problem)
    {
        problem = "";
        try
        {
            var full = Path.GetFullPath(path);
            _ = new UnixDomainSocketEndPoint(full);
            return full;
        }
        catch (Exception e) when (e is ArgumentException or PlatformNotSupportedException or NotSupportedException)
        {
            problem = $"\"{path}\" cannot be a Unix domain socket: {e.Message.ReplaceLineEndings(" ")}";
            return null;
        }
    }

    /// <summary>
    /// Removes a socket at the path that no process listens on. Throws <see cref="IOException"/> if anything else exists there.
    /// </summary>
    public static void Clear(string path)
    {
        if (Directory.Exists(path)) throw new IOException($"{path} is a folder, not a socket.");
        if (!File.Exists(path)) return;
        if (IsListening(path)) throw new IOException($"another program listens on {path}.");
        if (IsFile(path)) throw new IOException($"{path} is a file, not a socket.");
        File.Delete(path);
    }

    /// <summary>Restricts access to the user who started the daemon.</summary>
    public static void Restrict(string path)
    {
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }

    private static bool IsListening(string path)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Connect(new UnixDomainSocketEndPoint(path));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    /// <summary>Sockets cannot be opened as files.</summary>
    private static bool IsFile(string path)
    {
        try
        {
            using var file = File.OpenRead(path);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
        catch (UnauthorizedAccessException)
        {
            return true;
        }
    }
}
