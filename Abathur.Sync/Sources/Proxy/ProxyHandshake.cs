using System.Globalization;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;
using Abathur.Client;
using Abathur.Sync.Access;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Connects a bot and its game: forwards the bot's WebSocket request to the game, and the game's answer to the bot.</summary>
/// <remarks>Blocking, for a dedicated thread: a socket that was once used asynchronously stays slower.</remarks>
internal sealed partial class ProxyHandshake(Socket bot, ProxyOptions options, TimeProvider clock)
{
    private const int SwitchingProtocols = 101;
    private const string Loopback = "127.0.0.1";
    private static readonly TimeSpan HeadTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan RetryDelay = TimeSpan.FromMilliseconds(100);

    // A game that accepts connections answers within milliseconds.
    private static readonly TimeSpan MinAnswerTimeout = TimeSpan.FromSeconds(2);
    private HttpHead? _request;

    /// <summary>What the bot has sent after its request.</summary>
    public byte[] FromBot { get; private set; } = [];

    /// <summary>What the game has sent after its answer.</summary>
    public byte[] FromGame { get; private set; } = [];

    /// <summary>The game that the bot has named; null: it has not, because the proxy has games of its own.</summary>
    public HostPort? Named { get; private set; }

    /// <summary>Reads the bot's request. False if it is not a request of a bot; the client has then got an error.</summary>
    /// <exception cref="ProxyException">The client may not connect to the game; it has got an error.</exception>
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
            // A client has only checked whether the port is open.
            return false;
        }
        catch (InvalidDataException e)
        {
            Refuse("400 Bad Request", $"This is not a WebSocket request: {e.Message}.");
            return false;
        }
        if (!_request.Has("Upgrade", "websocket"))
        {
            Refuse("426 Upgrade Required", "This is a proxy for StarCraft II bots: connect by WebSocket to /sc2api.");
            return false;
        }
        if (_request.Values("Origin").FirstOrDefault(origin => !WebOrigins.IsLoopback(origin)) is { } foreign)
        {
            Refuse("403 Forbidden", "Web pages of other hosts may not connect to the game.");
            throw new ProxyException($"a web page of {foreign} was refused");
        }
        if (options.Games.Count == 0 && !TryNameGame())
        {
            Refuse("400 Bad Request", "Name the port of your game: connect to /sc2api?game=PORT.");
            throw new ProxyException("a bot has not named its game, as in /sc2api?game=PORT");
        }
        return true;
    }

    /// <summary>Takes the game from the address that the bot has requested, and leaves it out of the request.</summary>
    private bool TryNameGame()
    {
        var match = NamedGame().Match(_request!.FirstLine);
        if (!match.Success || !ushort.TryParse(match.Groups["port"].ValueSpan, CultureInfo.InvariantCulture, out var port) || port == 0)
            return false;
        Named = new HostPort(Loopback, port);
        _request = _request with { FirstLine = _request.FirstLine.Remove(match.Index, match.Length) };
        return true;
    }

    [GeneratedRegex(@"(?<=^GET [^ ?]*)\?game=(?<port>[0-9]{1,5})(?= )", RegexOptions.ExplicitCapture)]
    private static partial Regex NamedGame();

    /// <summary>Connects to the game and forwards the bot's request; null if the bot has disconnected. The caller disposes the
    /// connection.</summary>
    /// <param name="game">The game.</param>
    /// <param name="onWait">Told the game, and why it is awaited, when it does not answer at once.</param>
    /// <param name="cancellationToken">Fires when the daemon shuts down.</param>
    /// <exception cref="ProxyException">The game cannot be reached; the bot has got an error.</exception>
    public Socket? Connect(HostPort game, Action<string, string> onWait, CancellationToken cancellationToken)
    {
        var started = clock.GetTimestamp();
        var isTold = false;
        while (true)
        {
            var left = options.ConnectTimeout - clock.GetElapsedTime(started);
            var problem = TryConnect(game, left, cancellationToken, out var connected);
            if (problem is null) return connected;
            // A bot often connects at the same time as it starts its game.
            if (left <= TimeSpan.Zero || cancellationToken.IsCancellationRequested)
            {
                Refuse("502 Bad Gateway", $"No game answers at {game}: {problem}.");
                throw new ProxyException($"no game answers at {game}: {problem}");
            }
            if (BotIsGone()) return null;
            if (!isTold) onWait(game.ToString(), problem);
            isTold = true;
            cancellationToken.WaitHandle.WaitOne(left < RetryDelay ? left : RetryDelay);
        }
    }

    /// <summary>Answers the bot with an HTTP error.</summary>
    public void Refuse(string status, string text)
    {
        try
        {
            var head = $"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
                + $"{Encoding.UTF8.GetByteCount(text) + 1}\r\nConnection: close\r\n\r\n";
            bot.SendAll(Encoding.UTF8.GetBytes(head + text + "\n"));
        }
        catch (Exception e) when (SocketIo.IsGone(e))
        {
            // The client did not wait for an answer.
        }
        bot.TryShutdown(SocketShutdown.Both);
    }

    /// <summary>Tries once. Returns the error if the game may still be starting; null if it has answered.</summary>
    private string? TryConnect(HostPort address, TimeSpan left, CancellationToken cancellationToken, out Socket? connected)
    {
        connected = null;
        var game = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        var timeout = left > MinAnswerTimeout ? left : MinAnswerTimeout;
        using var late = new CancellationTokenSource(timeout, clock);
        // Closing the socket is the only way to end a blocking connect or read.
        using var onLate = late.Token.Register(game.Dispose);
        using var onStop = cancellationToken.Register(game.Dispose);
        HttpHead answer;
        try
        {
            game.Connect(address.Host, address.Port);
            // Without extensions the frames can be read. Origin names the proxy's port and was already checked.
            game.SendAll(_request!.With("Host", address.ToString()).Without("Origin").Without("Sec-WebSocket-Extensions").ToBytes());
            answer = HttpHead.Read(game, timeout, clock, out var rest);
            FromGame = rest;
        }
        catch (EndOfStreamException e)
        {
            // Another program accepts connections for a game that is still starting.
            game.Dispose();
            return e.Message;
        }
        catch (Exception e) when (SocketIo.IsGone(e) || e is TimeoutException)
        {
            game.Dispose();
            return cancellationToken.IsCancellationRequested
                ? "the daemon is shutting down"
                : late.IsCancellationRequested
                ? $"no answer within {timeout.TotalSeconds:0.#} s"
                // Without the address, which the caller names as the user did.
                : e is SocketException { SocketErrorCode: var code } ? new SocketException((int)code).Message : e.Message;
        }
        catch (InvalidDataException e)
        {
            game.Dispose();
            throw Foreign(address, e.Message);
        }
        if (answer.StatusCode != SwitchingProtocols)
        {
            game.Dispose();
            throw Foreign(address, $"it answered \"{answer.FirstLine}\"");
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

    private ProxyException Foreign(HostPort game, string what)
    {
        Refuse("502 Bad Gateway", $"There is no StarCraft II game at {game}: {what}.");
        return new ProxyException($"there is no StarCraft II game at {game}: {what}");
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
