using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Abathur.Sync.Hosting;

/// <summary>Lets the operating system detect connections whose peer has disappeared without closing them.</summary>
internal static class TcpKeepAlive
{
    private const int Probes = 3;

    // tcp(7): milliseconds that data may stay unacknowledged, or the window closed.
    private const int LinuxTcp = 6;
    private const int LinuxTcpUserTimeout = 18;

    /// <summary>Ends a TCP socket, and the connections that it accepts, when the peer has been silent for this time.</summary>
    public static void NoticeAfter(Socket socket, TimeSpan timeout)
    {
        var seconds = (int)Math.Max(1, timeout.TotalSeconds / 2);
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        TrySet(socket, SocketOptionName.TcpKeepAliveTime, seconds);
        TrySet(socket, SocketOptionName.TcpKeepAliveInterval, Math.Max(1, seconds / Probes));
        TrySet(socket, SocketOptionName.TcpKeepAliveRetryCount, Probes);
        if (!OperatingSystem.IsLinux()) return;
        var milliseconds = (int)timeout.TotalMilliseconds;
        socket.SetRawSocketOption(LinuxTcp, LinuxTcpUserTimeout, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(in milliseconds)));
    }

    private static void TrySet(Socket socket, SocketOptionName option, int value)
    {
        try
        {
            socket.SetSocketOption(SocketOptionLevel.Tcp, option, value);
        }
        catch (SocketException)
        {
            // Windows before 10 and Wine do not support this option and use their own times.
        }
    }
}
