using System.Net;
using System.Net.Sockets;

namespace Abathur.Client.Tests;

/// <summary>Passes connections on to a daemon, and breaks them on request.</summary>
internal sealed class BreakingRelay : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly List<TcpClient> _connections = [];
    private readonly string _target;

    public BreakingRelay(string target)
    {
        _target = target;
        _listener.Start();
        _ = AcceptAsync();
    }

    public string Address => _listener.LocalEndpoint.ToString()!;

    /// <summary>Resets all connections. New ones are accepted.</summary>
    public void Break()
    {
        lock (_connections)
        {
            foreach (var connection in _connections) connection.Client.Close(timeout: 0);
            _connections.Clear();
        }
    }

    public void Dispose()
    {
        _listener.Stop();
        Break();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync();
                var daemon = new TcpClient();
                await daemon.ConnectAsync(IPEndPoint.Parse(_target));
                lock (_connections) _connections.AddRange([client, daemon]);
                _ = PassAsync(client, daemon);
                _ = PassAsync(daemon, client);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    private static async Task PassAsync(TcpClient from, TcpClient to)
    {
        try
        {
            await from.GetStream().CopyToAsync(to.GetStream());
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // The connection was broken.
        }
    }
}
