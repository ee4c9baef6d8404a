using System.Collections.Concurrent;
using System.Net.Sockets;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Writes to the game: the bot's bytes as they arrive, and the proxy's own requests between its messages. The bot waits for at most one
/// such request to be written, and <see cref="Send"/> never waits for the bot.
/// </summary>
internal sealed class GameWriter(Socket game, OwnRequests own)
{
    private readonly ConcurrentQueue<(Request Request, Action<ReadOnlyMemory<byte>?> Answered)> _waiting = new();

    /// <summary>Held while a message is written, from its first byte to its last.</summary>
    private readonly object _gate = new();
    private volatile bool _isGone;
    private bool _botIsInside;

    /// <summary>Forwards bytes of the bot. Always called on the same thread.</summary>
    /// <param name="chunk">The bytes.</param>
    /// <param name="endsMessage">Whether neither a frame nor a message of the bot is incomplete after them.</param>
    /// <exception cref="SocketException">The game has disconnected.</exception>
    public void Pass(ReadOnlySpan<byte> chunk, bool endsMessage)
    {
        if (!_botIsInside) Monitor.Enter(_gate, ref _botIsInside);
        game.SendAll(chunk);
        if (endsMessage) Leave();
    }

    /// <summary>The bot sends nothing more. Called on the thread of <see cref="Pass"/>.</summary>
    public void EndBot()
    {
        Leave();
        game.TryShutdown(SocketShutdown.Send);
    }

    /// <summary>Sends a request after the message that the bot is sending, or at once if it sends none.</summary>
    /// <param name="request">The request. Its id is set.</param>
    /// <param name="answered">Called with the serialized <c>Response</c>, valid during the call, or null if there will be none. Must
    /// neither block nor throw.</param>
    public void Send(Request request, Action<ReadOnlyMemory<byte>?> answered)
    {
        _waiting.Enqueue((request, answered));
        SendWaiting();
    }

    /// <summary>The game has disconnected: pending requests get no answer.</summary>
    public void EndGame()
    {
        _isGone = true;
        own.Close();
        SendWaiting();
    }

    private void Leave()
    {
        if (!_botIsInside) return;
        Monitor.Exit(_gate);
        _botIsInside = false;
        SendWaiting();
    }

    // A thread that cannot take the gate leaves its request in the queue: the thread that holds the gate checks the queue after releasing
    // it.
    private void SendWaiting()
    {
        while (!_waiting.IsEmpty && Monitor.TryEnter(_gate))
        {
            try
            {
                if (_waiting.TryDequeue(out var next)) Write(next.Request, next.Answered);
            }
            finally
            {
                Monitor.Exit(_gate);
            }
        }
    }

    private void Write(Request request, Action<ReadOnlyMemory<byte>?> answered)
    {
        if (_isGone)
        {
            answered(null);
            return;
        }
        var message = own.ToMessage(request, answered);
        try
        {
            game.SendAll(message);
        }
        catch (Exception e) when (SocketIo.IsGone(e))
        {
            _isGone = true;
            own.Close();
        }
    }
}
