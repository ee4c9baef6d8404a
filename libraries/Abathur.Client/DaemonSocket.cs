using System.Net.Security;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;

namespace Abathur.Client;

/// <summary>A connected socket of a daemon, TCP or Unix domain, with TLS or without. One task reads, and one writes.</summary>
internal sealed class DaemonSocket : IDisposable
{
    /// <summary>By default a system holds megabytes of stale frames for a paused reader.</summary>
    private const int ReceiveBufferBytes = 256 * 1024;

    // A peer that disappeared without a word is found after 30 s.
    private const int KeepAliveSeconds = 15, KeepAliveIntervalSeconds = 5, KeepAliveProbes = 3;

    private readonly Socket _socket;
    private readonly SslStream? _tls;

    private DaemonSocket(Socket socket, SslStream? tls) => (_socket, _tls) = (socket, tls);

    /// <summary>Connects.</summary>
    /// <exception cref="BrokenConnectionException">Nothing answers, or the daemon's certificate is not trusted.</exception>
    /// <exception cref="IOException">The file with certificates cannot be read.</exception>
    public static async Task<DaemonSocket> OpenAsync(DaemonAddress address, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        var socket = address.Path is null
            ? new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true }
            : new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.ReceiveBufferSize = ReceiveBufferBytes;
            if (address.Path is not null)
            {
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(address.Path), limit.Token).ConfigureAwait(false);
                return new DaemonSocket(socket, null);
            }
            KeepAlive(socket);
            await socket.ConnectAsync(address.Host, address.Port, limit.Token).ConfigureAwait(false);
            return new DaemonSocket(socket, address.IsTls ? await EncryptAsync(socket, address, limit.Token).ConfigureAwait(false) : null);
        }
        catch (Exception e)
        {
            socket.Dispose();
            if (e is OperationCanceledException && !cancellationToken.IsCancellationRequested)
                throw new BrokenConnectionException($"no connection within {timeout.TotalSeconds:g} s", e);
            // A Unix domain socket that does not exist is an address that is not available.
            if (e is SocketException { SocketErrorCode: SocketError.ConnectionRefused or SocketError.AddressNotAvailable })
                throw new BrokenConnectionException(e.Message, e) { IsNothingThere = true };
            if (e is SocketException or System.Security.Authentication.AuthenticationException or ArgumentException)
                throw new BrokenConnectionException(e.Message, e);
            throw;
        }
    }

    /// <summary>Receives some bytes; 0 at the end.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<int> ReceiveAsync(Memory<byte> memory, CancellationToken cancellationToken)
    {
        try
        {
            return _tls is null
                ? await _socket.ReceiveAsync(memory, SocketFlags.None, cancellationToken).ConfigureAwait(false)
                : await _tls.ReadAsync(memory, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (IsBroken(e, cancellationToken))
        {
            throw new BrokenConnectionException(e.Message, e);
        }
    }

    /// <summary>Sends all bytes.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SendAsync(ReadOnlyMemory<byte> memory, CancellationToken cancellationToken)
    {
        try
        {
            if (_tls is not null)
            {
                await _tls.WriteAsync(memory, cancellationToken).ConfigureAwait(false);
                return;
            }
            while (!memory.IsEmpty)
                memory = memory[await _socket.SendAsync(memory, SocketFlags.None, cancellationToken).ConfigureAwait(false)..];
        }
        catch (Exception e) when (IsBroken(e, cancellationToken))
        {
            throw new BrokenConnectionException(e.Message, e);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _tls?.Dispose();
        _socket.Dispose();
    }

    /// <summary>How a daemon's certificate is checked; null: as the system does.</summary>
    /// <exception cref="IOException">The file with certificates cannot be read.</exception>
    internal static X509ChainPolicy? ChainPolicyOf(DaemonAddress address) =>
        address.CaFile is null ? null : TrustedRoots.Read(address.CaFile);

    private static bool IsBroken(Exception e, CancellationToken cancellationToken) =>
        e is SocketException or IOException or ObjectDisposedException && !cancellationToken.IsCancellationRequested;

    private static void KeepAlive(Socket socket)
    {
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, KeepAliveSeconds);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, KeepAliveIntervalSeconds);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, KeepAliveProbes);
    }

    private static async Task<SslStream> EncryptAsync(Socket socket, DaemonAddress address, CancellationToken cancellationToken)
    {
        var options = new SslClientAuthenticationOptions { TargetHost = address.Host, CertificateChainPolicy = ChainPolicyOf(address) };
        var stream = new SslStream(new NetworkStream(socket));
        try
        {
            await stream.AuthenticateAsClientAsync(options, cancellationToken).ConfigureAwait(false);
            return stream;
        }
        catch (IOException e)
        {
            throw new BrokenConnectionException($"TLS failed: {e.Message}", e);
        }
    }
}
