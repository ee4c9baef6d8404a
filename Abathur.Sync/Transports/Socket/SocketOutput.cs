using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Transports.Socket;

/// <summary>
/// The output of a connection, written directly to its socket: the bytes of a frame go from the memory that all subscribers share to the
/// operating system, without the copy and the thread switch of a pipe. One task writes.
/// </summary>
/// <param name="socket">The socket of the connection; its owner closes it.</param>
/// <param name="encrypted">The output that encrypts; null: not encrypted.</param>
internal sealed class SocketOutput(System.Net.Sockets.Socket socket, PipeWriter? encrypted = null) : IDisposable
{
    /// <summary>What was written first, if its memory is shared.</summary>
    private SharedBuffer? _shared;

    /// <summary>What was written then.</summary>
    private SharedBuffer? _gathered;

    /// <summary>The buffer of messages until the next flush.</summary>
    public IBufferWriter<byte> Writer => _gathered ??= SharedBuffer.Rent();

    /// <summary>Appends a complete message, and takes over the caller's reference to it.</summary>
    public void Write(SharedBuffer message)
    {
        if (_gathered is null && _shared is null)
        {
            _shared = message;
            return;
        }
        Writer.Write(message.Span);
        message.Release();
    }

    /// <summary>Passes everything that was written to the operating system; waits while it accepts no more. False if the client has
    /// disconnected.</summary>
    /// <remarks>After cancellation or false the connection cannot be used any more, because a part may have been sent.</remarks>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> FlushAsync(CancellationToken cancellationToken)
    {
        try
        {
            return (_shared is null || await SendAsync(_shared.Memory, cancellationToken))
                && (_gathered is null || await SendAsync(_gathered.Memory, cancellationToken));
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            return false;
        }
        finally
        {
            Dispose();
        }
    }

    /// <summary>Releases messages that were not sent.</summary>
    public void Dispose()
    {
        _gathered?.Release();
        _shared?.Release();
        _gathered = _shared = null;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> SendAsync(ReadOnlyMemory<byte> rest, CancellationToken cancellationToken)
    {
        if (encrypted is not null) return !(await encrypted.WriteAsync(rest, cancellationToken)).IsCompleted;
        while (!rest.IsEmpty) rest = rest[await socket.SendAsync(rest, SocketFlags.None, cancellationToken)..];
        return true;
    }
}
