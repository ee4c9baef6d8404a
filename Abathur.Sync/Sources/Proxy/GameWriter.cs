using System.Collections.Concurrent;
using System.Net.Sockets;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Writes to the game: the bot's bytes as they come, and between its messages the proxy's own requests. The bot never waits for more than one
/// such request to be written, and who sends one never waits for the bot.
/// </summary>
internal sealed class GameWriter(Socket game, OwnRequests own)
{
    private readonly ConcurrentQueue<(Request Request, Action<ReadOnlyMemory<byte>?> Answered)> _waiting = new();

    /// <summary>Held by who writes, from the first byte of a message to its last.</summary>
    private readonly object _gate = new();
    private volatile bool _isGone;
    private bool _botIsInside;

    /// <summary>Passes bytes of the bot on. Always on the same thread.</summary>
    /// <param name="chunk">The bytes.</param>
    /// <param name="endsMessage">Whether nothing of the bot's is open behind them: neither a frame nor a message.</param>
    /// <exception cref="SocketException">The game is gone.</exception>
    public void Pass(ReadOnlySpan<byte> chunk, bool endsMessage)
    {
        if (!_botIsInside) Monitor.Enter(_gate, ref _botIsInside);
        game.SendAll(chunk);
        if (endsMessage) Leave();
    }

    /// <summary>The bot sends nothing more. On the thread of <see cref="Pass"/>.</summary>
    public void EndBot()
    {
        Leave();
        game.TryShutdown(SocketShutdown.Send);
    }

    /// <summary>Sends a request at the end of the message that the bot is sending, or at once where it sends none.</summary>
    /// <param name="request">The request. Its id is set.</param>
    /// <param name="answered">Told the serialized <c>Response</c>, valid during the call; or null when none will come. Must neither block nor throw.</param>
    public void Send(Request request, Action<ReadOnlyMemory<byte>?> answered)
    {
        _waiting.Enqueue((request, answered));
        SendWaiting();
    }

    /// <summary>The game is gone: nobody is answered any more.</summary>
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

    // Who finds the gate taken leaves its request to who has taken it: that one looks again when it has let go.
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
