using System.Net.Sockets;
using System.Threading.Channels;
using Abathur.Sync.Frames;

namespace Abathur.Benchmarks.Baseline;

/// <summary>One connection of the baseline server: a bounded queue and the task that sends from it.</summary>
internal sealed class BaselineClient
{
    private readonly Socket _socket;
    private readonly Channel<SharedBuffer> _queue;

    /// <param name="socket">Accepted connection, which the client disposes.</param>
    /// <param name="queueFrames">Frames that may wait.</param>
    /// <param name="skips">Whether a new frame replaces the oldest that waits; else the publisher waits for room.</param>
    public BaselineClient(Socket socket, int queueFrames, bool skips)
    {
        _socket = socket;
        _socket.NoDelay = true;
        var options = new BoundedChannelOptions(queueFrames)
        {
            SingleReader = true,
            SingleWriter = true,
            FullMode = skips ? BoundedChannelFullMode.DropOldest : BoundedChannelFullMode.Wait,
        };
        _queue = Channel.CreateBounded<SharedBuffer>(options, static dropped => dropped.Release());
        Sending = Task.Run(SendAsync);
    }

    /// <summary>Completes when the client is gone.</summary>
    public Task Sending { get; }

    /// <summary>Gives the client a message of its own reference; waits for room where nothing is skipped.</summary>
    public async ValueTask OfferAsync(SharedBuffer message)
    {
        message.Retain();
        if (_queue.Writer.TryWrite(message)) return;
        try
        {
            await _queue.Writer.WriteAsync(message);
        }
        catch (ChannelClosedException)
        {
            message.Release();
        }
    }

    private async Task SendAsync()
    {
        try
        {
            await foreach (var message in _queue.Reader.ReadAllAsync())
            {
                for (var rest = message.Memory; rest.Length > 0;) rest = rest[await _socket.SendAsync(rest, SocketFlags.None)..];
                message.Release();
            }
        }
        catch (SocketException)
        {
            // The client is gone.
        }
        finally
        {
            _queue.Writer.TryComplete();
            _socket.Dispose();
        }
    }
}
