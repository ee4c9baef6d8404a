using System.Buffers;
using System.Net.WebSockets;
using Abathur.Protobuf;
using Abathur.Sc2.Install;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sc2.Api;

/// <summary>A client of the game's API: protobuf <c>Request</c> and <c>Response</c> in binary WebSocket messages, one at a time.</summary>
public sealed class GameClient : IAsyncDisposable
{
    /// <summary>Longest answer that is accepted, in bytes.</summary>
    public const int MaxMessageBytes = 64 * 1024 * 1024;

    private const int ReadBytes = 64 * 1024;
    private static readonly TimeSpan RetryDelay = TimeSpan.FromMilliseconds(200);

    /// <summary>How long a cancelled request waits for its answer. After a partial answer the connection could not be used any more, not
    /// even to leave the game.</summary>
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(2);
    private readonly ClientWebSocket _socket;
    private readonly string _address;
    private readonly TimeProvider _clock;
    private uint _lastId;

    private GameClient(ClientWebSocket socket, string address, TimeProvider clock) =>
        (_socket, _address, _clock) = (socket, address, clock);

    /// <summary>Connects to a game, which may still be starting.</summary>
    /// <param name="host">Name or address.</param>
    /// <param name="port">TCP port.</param>
    /// <param name="timeout">How long to try.</param>
    /// <param name="clock">Clock of the timeout.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <param name="process">The process of the game if it was started here: the attempt ends when it exits.</param>
    /// <exception cref="GameException">There is no answer, or the server is not a game.</exception>
    public static async Task<GameClient> ConnectAsync(
        string host, int port, TimeSpan timeout, TimeProvider clock, CancellationToken cancellationToken, GameProcess? process = null)
    {
        var address = $"{(host.Contains(':') ? $"[{host}]" : host)}:{port}";
        var started = clock.GetTimestamp();
        while (true)
        {
            var socket = new ClientWebSocket();
            // The address is the game's. HTTP_PROXY and the system's settings are for the web.
            socket.Options.Proxy = null;
            // The game answers no pings while it loads a map.
            socket.Options.KeepAliveInterval = TimeSpan.Zero;
            try
            {
                await socket.ConnectAsync(new Uri($"ws://{address}/sc2api"), cancellationToken).ConfigureAwait(false);
                return new GameClient(socket, address, clock);
            }
            catch (WebSocketException e)
            {
                socket.Dispose();
                if (e.WebSocketErrorCode == WebSocketError.NotAWebSocket)
                    throw new GameException($"{address} is not a StarCraft II game: {e.Message}", e);
                if (process is { HasExited: true })
                    throw new GameException($"the game ended with exit code {process.ExitCode} before it answered", e);
                if (clock.GetElapsedTime(started) >= timeout)
                    throw new GameException($"no game answers at {address}: {e.InnerException?.Message ?? e.Message}", e);
            }
            await Task.Delay(RetryDelay, clock, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Sends a request and writes the game's serialized <c>Response</c> to <paramref name="response"/>.</summary>
    /// <param name="request">The request, whose id is set.</param>
    /// <param name="response">Receives the answer as it arrives. After an exception it may have a part of it.</param>
    /// <param name="cancellationToken">Before the request is sent, nothing is sent. Afterwards the game has 2 s to answer.</param>
    /// <exception cref="GameException">The connection is closed, or the answer is longer than <see cref="MaxMessageBytes"/>.</exception>
    public async Task SendAsync(Request request, IBufferWriter<byte> response, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var late = new CancellationTokenSource(Timeout.InfiniteTimeSpan, _clock);
        await using var giveUp = cancellationToken.Register(() => late.CancelAfter(Grace)).ConfigureAwait(false);
        request.Id = ++_lastId;
        try
        {
            await _socket.SendAsync(request.ToByteArray().AsMemory(), WebSocketMessageType.Binary, endOfMessage: true, late.Token)
                .ConfigureAwait(false);
            var length = 0L;
            ValueWebSocketReceiveResult received;
            do
            {
                received = await _socket.ReceiveAsync(response.GetMemory(ReadBytes), late.Token).ConfigureAwait(false);
                if (received.MessageType == WebSocketMessageType.Close)
                    throw new GameException($"the game at {_address} closed the connection");
                response.Advance(received.Count);
                length += received.Count;
                if (length > MaxMessageBytes)
                    throw new GameException($"the game at {_address} answers with more than {MaxMessageBytes} bytes");
            }
            while (!received.EndOfMessage);
        }
        catch (WebSocketException e)
        {
            throw new GameException($"the game at {_address} closed the connection", e);
        }
    }

    /// <summary>Sends a request and returns the game's parsed answer.</summary>
    /// <exception cref="GameException">The connection is closed, or the game answers with an error.</exception>
    public async Task<Response> SendAsync(Request request, CancellationToken cancellationToken)
    {
        var bytes = new ArrayBufferWriter<byte>(ReadBytes);
        await SendAsync(request, bytes, cancellationToken).ConfigureAwait(false);
        try
        {
            var response = LenientParser.Parse<Response>(bytes.WrittenSpan);
            if (response.Error.Count > 0 && response.ResponseCase == Response.ResponseOneofCase.None)
            {
                throw new GameException($"the game refuses {request.RequestCase}: {string.Join("; ", response.Error)}")
                {
                    IsRefusal = true,
                };
            }
            return response;
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new GameException($"{_address} is not a StarCraft II game: its answer is not a Response ({e.Message})", e);
        }
    }

    /// <summary>Closes the connection without a close handshake, which the game does not support.</summary>
    public ValueTask DisposeAsync()
    {
        _socket.Dispose();
        return ValueTask.CompletedTask;
    }
}
