using System.Net.Sockets;
using System.Text;
using Abathur.Sync.Access;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Brings a bot and its game together: the bot's WebSocket request goes to the game, the game's answer to the bot.</summary>
/// <remarks>Blocking, for a thread of its own: a socket that was once used asynchronously is slower for good.</remarks>
internal sealed class ProxyHandshake(Socket bot, ProxyOptions options, TimeProvider clock)
{
    private const int SwitchingProtocols = 101;
    private static readonly TimeSpan HeadTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan RetryDelay = TimeSpan.FromMilliseconds(100);

    // A game that takes connections answers within milliseconds.
    private static readonly TimeSpan MinAnswerTimeout = TimeSpan.FromSeconds(2);
    private HttpHead? _request;

    /// <summary>What the bot has sent behind its request.</summary>
    public byte[] FromBot { get; private set; } = [];

    /// <summary>What the game has sent behind its answer.</summary>
    public byte[] FromGame { get; private set; } = [];

    private string Game => $"{options.GameHost}:{options.GamePort}";

    /// <summary>Reads the bot's request. False where it is no bot's, which has been told so.</summary>
    /// <exception cref="ProxyException">It may not talk to the game; it has been told.</exception>
    public bool TryReadRequest()
    {
        bot.NoDelay = true;
        try
        {
            _request = HttpHead.Read(bot, HeadTimeout, clock, out var rest);
            FromBot = rest;
        }
        catch (Exception e) when (SocketIo.IsGone(e) || e is TimeoutException or EndOfStreamException)
        {
            // Somebody looked whether the port is open.
            return false;
        }
        catch (InvalidDataException e)
        {
            Refuse("400 Bad Request", $"This is no request for a WebSocket: {e.Message}.");
            return false;
        }
        if (!_request.Has("Upgrade", "websocket"))
        {
            Refuse("426 Upgrade Required", "This is a proxy for StarCraft II bots: connect by WebSocket to /sc2api.");
            return false;
        }
        if (_request.Values("Origin").FirstOrDefault(origin => !WebOrigins.IsLoopback(origin)) is { } foreign)
        {
            Refuse("403 Forbidden", "Web pages of other hosts may not talk to the game.");
            throw new ProxyException($"a web page of {foreign} was refused");
        }
        return true;
    }

    /// <summary>A connection to the game that has taken the bot's request, ready to be relayed; null where the bot has gone meanwhile. The caller disposes it.</summary>
    /// <param name="cancellation">The daemon stops.</param>
    /// <exception cref="ProxyException">The two cannot be brought together; the bot has been told.</exception>
    public Socket? Connect(CancellationToken cancellation)
    {
        var started = clock.GetTimestamp();
        while (true)
        {
            var left = options.ConnectTimeout - clock.GetElapsedTime(started);
            var problem = TryConnect(left, cancellation, out var game);
            if (problem is null) return game;
            // A bot often starts its game and the connection at once.
            if (left <= TimeSpan.Zero || cancellation.IsCancellationRequested)
            {
                Refuse("502 Bad Gateway", $"No game answers at {Game}: {problem}.");
                throw new ProxyException($"no game answers at {Game}: {problem}");
            }
            if (BotIsGone()) return null;
            cancellation.WaitHandle.WaitOne(left < RetryDelay ? left : RetryDelay);
        }
    }

    /// <summary>Answers the bot with an HTTP error.</summary>
    public void Refuse(string status, string text)
    {
        try
        {
            var head = $"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {Encoding.UTF8.GetByteCount(text) + 1}\r\nConnection: close\r\n\r\n";
            bot.SendAll(Encoding.UTF8.GetBytes(head + text + "\n"));
        }
        catch (Exception e) when (SocketIo.IsGone(e))
        {
            // It did not wait for an answer.
        }
        bot.TryShutdown(SocketShutdown.Both);
    }

    /// <summary>Once. Returns what is wrong where the game may only be late; null where it has answered.</summary>
    private string? TryConnect(TimeSpan left, CancellationToken cancellation, out Socket? connected)
    {
        connected = null;
        var game = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        var timeout = left > MinAnswerTimeout ? left : MinAnswerTimeout;
        using var late = new CancellationTokenSource(timeout, clock);
        // Closing the socket is the one way to end a connection attempt, or a read, that blocks.
        using var onLate = late.Token.Register(game.Dispose);
        using var onStop = cancellation.Register(game.Dispose);
        HttpHead answer;
        try
        {
            game.Connect(options.GameHost, options.GamePort);
            // Without extensions the frames stay as they are, and can be read. The origin was checked here, and names the proxy's port.
            game.SendAll(_request!.With("Host", Game).Without("Origin").Without("Sec-WebSocket-Extensions").ToBytes());
            answer = HttpHead.Read(game, timeout, clock, out var rest);
            FromGame = rest;
        }
        catch (EndOfStreamException e)
        {
            // Something stands before a game that is starting.
            game.Dispose();
            return e.Message;
        }
        catch (Exception e) when (SocketIo.IsGone(e) || e is TimeoutException)
        {
            game.Dispose();
            return cancellation.IsCancellationRequested ? "the daemon stops" : late.IsCancellationRequested ? $"nothing was said within {timeout.TotalSeconds:0.#} s" : e.Message;
        }
        catch (InvalidDataException e)
        {
            game.Dispose();
            throw Foreign(e.Message);
        }
        if (answer.StatusCode != SwitchingProtocols)
        {
            game.Dispose();
            throw Foreign($"it answered \"{answer.FirstLine}\"");
        }
        try
        {
            bot.SendAll(answer.ToBytes());
        }
        catch (Exception e) when (SocketIo.IsGone(e))
        {
            game.Dispose();
            return null;
        }
        connected = game;
        return null;
    }

    private ProxyException Foreign(string what)
    {
        Refuse("502 Bad Gateway", $"There is no StarCraft II game at {Game}: {what}.");
        return new ProxyException($"there is no StarCraft II game at {Game}: {what}");
    }

    private bool BotIsGone()
    {
        try
        {
            return bot.Poll(0, SelectMode.SelectRead) && bot.Available == 0;
        }
        catch (Exception e) when (SocketIo.IsGone(e))
        {
            return true;
        }
    }
}
