using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Abathur.Sync.Sc2Api.Proxy;

/// <summary>Brings a bot and its game together: the bot's WebSocket request goes to the game, the game's answer to the bot.</summary>
/// <remarks>Blocking, for a thread of its own: a socket that was once used asynchronously is slower for good.</remarks>
internal sealed class ProxyHandshake(ProxyOptions options, TimeProvider clock)
{
    private const int SwitchingProtocols = 101;
    private static readonly TimeSpan HeadTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan RetryDelay = TimeSpan.FromMilliseconds(100);

    /// <summary>What the bot has sent behind its request.</summary>
    public byte[] FromBot { get; private set; } = [];

    /// <summary>What the game has sent behind its answer.</summary>
    public byte[] FromGame { get; private set; } = [];

    /// <summary>A connection to the game that has taken the bot's request, ready to be relayed. The caller disposes it.</summary>
    /// <exception cref="ProxyException">The two cannot be brought together; the bot has been told.</exception>
    public Socket Connect(Socket bot, CancellationToken cancellation)
    {
        bot.NoDelay = true;
        bot.ReceiveTimeout = (int)HeadTimeout.TotalMilliseconds;
        HttpHead request;
        try
        {
            request = HttpHead.Read(bot, out var rest);
            FromBot = rest;
        }
        catch (Exception e) when (e is SocketException or InvalidDataException)
        {
            throw new ProxyException($"a connection that is no bot's: {e.Message}", isQuiet: true);
        }
        if (!request.Values("Upgrade").Any(value => value.Equals("websocket", StringComparison.OrdinalIgnoreCase)))
        {
            Refuse(bot, "426 Upgrade Required", "This is a proxy for StarCraft II bots: connect by WebSocket to /sc2api.");
            throw new ProxyException($"a request that is no WebSocket: {request.FirstLine}", isQuiet: true);
        }
        if (request.Values("Origin").FirstOrDefault(origin => !IsLoopback(origin)) is { } foreign)
        {
            Refuse(bot, "403 Forbidden", "Web pages of other hosts may not talk to the game.");
            throw new ProxyException($"a web page of {foreign} was refused", isQuiet: false);
        }
        var game = ConnectToGame(bot, cancellation);
        try
        {
            // Without extensions the frames stay as they are, and can be read.
            SendAll(game, request.With("Host", Game).Without("Sec-WebSocket-Extensions").ToBytes());
            game.ReceiveTimeout = (int)HeadTimeout.TotalMilliseconds;
            var answer = HttpHead.Read(game, out var rest);
            FromGame = rest;
            SendAll(bot, answer.ToBytes());
            if (answer.StatusCode != SwitchingProtocols)
            {
                SendAll(bot, rest);
                throw new ProxyException($"{Game} is no StarCraft II game: it answered \"{answer.FirstLine}\"", isQuiet: false);
            }
            bot.ReceiveTimeout = game.ReceiveTimeout = 0;
            return game;
        }
        catch (Exception e) when (e is SocketException or InvalidDataException)
        {
            game.Dispose();
            Refuse(bot, "502 Bad Gateway", $"{Game} is no StarCraft II game: {e.Message}");
            throw new ProxyException($"{Game} is no StarCraft II game: {e.Message}", isQuiet: false);
        }
        catch
        {
            game.Dispose();
            throw;
        }
    }

    /// <summary>Answers with an HTTP error and closes.</summary>
    public static void Refuse(Socket bot, string status, string text)
    {
        try
        {
            SendAll(bot, Encoding.ASCII.GetBytes($"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {text.Length + 1}\r\nConnection: close\r\n\r\n{text}\n"));
            bot.Shutdown(SocketShutdown.Both);
        }
        catch (SocketException)
        {
            // It did not wait for an answer.
        }
    }

    private string Game => $"{options.GameHost}:{options.GamePort}";

    private Socket ConnectToGame(Socket bot, CancellationToken cancellation)
    {
        var started = clock.GetTimestamp();
        while (true)
        {
            var game = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            try
            {
                game.Connect(options.GameHost, options.GamePort);
                return game;
            }
            catch (SocketException e)
            {
                game.Dispose();
                // A bot often starts its game and the connection at once.
                var isLate = clock.GetElapsedTime(started) >= options.ConnectTimeout;
                if (!isLate && !cancellation.WaitHandle.WaitOne(RetryDelay)) continue;
                Refuse(bot, "502 Bad Gateway", $"No game answers at {Game}: {e.Message}.");
                throw new ProxyException($"no game answers at {Game}: {e.Message}", isQuiet: cancellation.IsCancellationRequested);
            }
        }
    }

    private static bool IsLoopback(string origin) =>
        Uri.TryCreate(origin, UriKind.Absolute, out var uri)
        && (uri.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase) || (IPAddress.TryParse(uri.Host.Trim('[', ']'), out var address) && IPAddress.IsLoopback(address)));

    private static void SendAll(Socket to, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty) bytes = bytes[to.Send(bytes)..];
    }
}
