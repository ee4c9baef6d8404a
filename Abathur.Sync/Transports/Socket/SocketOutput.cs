using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Transports.Socket;

/// <summary>
/// What is sent on a connection, straight to its socket: a frame's bytes go from the memory that all subscribers share to the operating system, without
/// the copy and the change of threads that a pipe between them costs. One task writes.
/// </summary>
/// <param name="socket">The connection's; whoever owns it closes it.</param>
/// <param name="encrypted">Where what is sent is encrypted first; null: it is not.</param>
internal sealed class SocketOutput(System.Net.Sockets.Socket socket, PipeWriter? encrypted = null) : IDisposable
{
    private SharedBuffer? _gathered;
    private SharedBuffer? _shared;

    /// <summary>Where messages are gathered until the next flush.</summary>
    public IBufferWriter<byte> Writer
    {
        get
        {
            if (_gathered is null)
            {
                _gathered = SharedBuffer.Rent();
                if (_shared is not null) Gather(_shared);
            }
            return _gathered;
        }
    }

    /// <summary>Adds a whole message behind what was written, and takes over the caller's reference to it.</summary>
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

    /// <summary>Gives all that was written to the operating system; waits while it takes no more. False when the client is gone.</summary>
    /// <remarks>Cancelled or false, the connection is of no more use: a part may have been sent.</remarks>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> FlushAsync(CancellationToken cancellation)
    {
        try
        {
            var rest = (_gathered ?? _shared)?.Memory ?? default;
            if (encrypted is not null) return rest.IsEmpty || !(await encrypted.WriteAsync(rest, cancellation)).IsCompleted;
            while (!rest.IsEmpty) rest = rest[await socket.SendAsync(rest, SocketFlags.None, cancellation)..];
            return true;
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

    /// <summary>Lets go of what was not sent.</summary>
    public void Dispose()
    {
        _gathered?.Release();
        _shared?.Release();
        _gathered = _shared = null;
    }

    private void Gather(SharedBuffer message)
    {
        _gathered!.Write(message.Span);
        message.Release();
        _shared = null;
    }
}
