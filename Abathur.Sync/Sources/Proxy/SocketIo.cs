using System.Net.Sockets;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>What the tasks with blocking sockets have in common.</summary>
internal static class SocketIo
{
    /// <summary>Sends all of it.</summary>
    public static void SendAll(this Socket to, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty) bytes = bytes[to.Send(bytes)..];
    }

    /// <summary>Ends a direction, where it is not ended already.</summary>
    public static void TryShutdown(this Socket socket, SocketShutdown how)
    {
        try
        {
            socket.Shutdown(how);
        }
        catch (Exception e) when (IsGone(e))
        {
            // It is closed already.
        }
    }

    /// <summary>Whether an exception says that the peer, or the socket, is gone.</summary>
    public static bool IsGone(Exception e) => e is SocketException or ObjectDisposedException;
}
