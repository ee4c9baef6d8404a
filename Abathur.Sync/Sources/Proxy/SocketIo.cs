using System.Net.Sockets;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Helpers for blocking sockets.</summary>
internal static class SocketIo
{
    /// <summary>Sends all of it.</summary>
    public static void SendAll(this Socket to, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty) bytes = bytes[to.Send(bytes)..];
    }

    /// <summary>Shuts a direction down, if it is not already.</summary>
    public static void TryShutdown(this Socket socket, SocketShutdown how)
    {
        try
        {
            socket.Shutdown(how);
        }
        catch (Exception e) when (IsGone(e))
        {
            // The socket is already closed.
        }
    }

    /// <summary>Whether an exception means that the peer has disconnected or the socket was closed.</summary>
    public static bool IsGone(Exception e) => e is SocketException or ObjectDisposedException;
}
