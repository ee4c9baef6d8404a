using System.Net;
using System.Net.Sockets;

namespace Abathur.Sync.Tests.Hosting;

/// <summary>Connections on which a test sends what it wants, or nothing.</summary>
internal static class RawConnection
{
    /// <summary>Connects to an address as the daemon prints it.</summary>
    /// <exception cref="SocketException">It was refused.</exception>
    public static async Task<Socket> OpenAsync(string address)
    {
        EndPoint endpoint = address.StartsWith("unix:", StringComparison.Ordinal)
            ? new UnixDomainSocketEndPoint(address["unix:".Length..])
            : IPEndPoint.Parse(address);
        var socket = new Socket(endpoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(endpoint);
        return socket;
    }
}
