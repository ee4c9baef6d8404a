using System.Net.WebSockets;
using Abathur.Sync.Frames;
using Abathur.Sync.Sc2Api.Install;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Sc2Api.Live;

/// <summary>A client of the game's API: protobuf <c>Request</c> and <c>Response</c> in binary WebSocket messages, one after the other.</summary>
public sealed class GameClient : IAsyncDisposable
{
    /// <summary>Longest answer that is taken, in bytes.</summary>
    public const int MaxMessageBytes = 64 * 1024 * 1024;

    private const int FirstReadBytes = 64 * 1024;
    private static readonly TimeSpan RetryDelay = TimeSpan.FromMilliseconds(200);

    /// <summary>How long an answer that is on its way is still waited for: a connection that is cut off in the middle of one could not even leave the game.</summary>
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(2);
    private readonly ClientWebSocket _socket;
    private readonly string _address;
    private readonly TimeProvider _clock;
    private uint _lastId;

    private GameClient(ClientWebSocket socket, string address, TimeProvider clock) => (_socket, _address, _clock) = (socket, address, clock);

    /// <summary>Connects to a game, which may still be starting.</summary>
    /// <param name="host">Name or address.</param>
    /// <param name="port">TCP port.</param>
    /// <param name="timeout">How long to try.</param>
    /// <param name="clock">Clock of the timeout.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <param name="process">The game, where it was started here: one that has ended is not waited for.</param>
    /// <exception cref="GameException">Nothing answers, or no game.</exception>
    public static async Task<GameClient> ConnectAsync(
        string host, int port, TimeSpan timeout, TimeProvider clock, CancellationToken cancellation, GameProcess? process = null)
    {
        var address = $"{(host.Contains(':') ? $"[{host}]" : host)}:{port}";
        var started = clock.GetTimestamp();
        while (true)
        {
            var socket = new ClientWebSocket();
            // The game answers no pings while it loads a map.
            socket.Options.KeepAliveInterval = TimeSpan.Zero;
            try
            {
                await socket.ConnectAsync(new Uri($"ws://{address}/sc2api"), cancellation);
                return new GameClient(socket, address, clock);
            }
            catch (WebSocketException e)
            {
                socket.Dispose();
                if (e.WebSocketErrorCode == WebSocketError.NotAWebSocket) throw new GameException($"{address} is no StarCraft II game: {e.Message}", e);
                if (process is { HasExited: true }) throw new GameException($"the game ended with exit code {process.ExitCode} before it answered", e);
                if (clock.GetElapsedTime(started) >= timeout) throw new GameException($"no game answers at {address}: {e.InnerException?.Message ?? e.Message}", e);
            }
            await Task.Delay(RetryDelay, clock, cancellation);
        }
    }

    /// <summary>Asks the game and returns its serialized <c>Response</c>, whose reference is the caller's.</summary>
    /// <param name="request">Gets an id.</param>
    /// <param name="cancellation">Nothing is asked any more; what is asked already has 2 s to be answered.</param>
    /// <exception cref="GameException">The game is gone, or answers something else.</exception>
    public async Task<SharedBuffer> AskAsync(Request request, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        using var late = new CancellationTokenSource(Timeout.InfiniteTimeSpan, _clock);
        await using var giveUp = cancellation.Register(() => late.CancelAfter(Grace));
        request.Id = ++_lastId;
        var response = SharedBuffer.Rent(FirstReadBytes);
        try
        {
            await _socket.SendAsync(request.ToByteArray().AsMemory(), WebSocketMessageType.Binary, endOfMessage: true, late.Token);
            ValueWebSocketReceiveResult received;
            do
            {
                received = await _socket.ReceiveAsync(response.GetMemory(FirstReadBytes), late.Token);
                if (received.MessageType == WebSocketMessageType.Close) throw new GameException($"the game at {_address} closed the connection");
                response.Advance(received.Count);
                if (response.Memory.Length > MaxMessageBytes) throw new GameException($"the game at {_address} answers with more than {MaxMessageBytes} bytes");
            }
            while (!received.EndOfMessage);
            return response;
        }
        catch (WebSocketException e)
        {
            response.Release();
            throw new GameException($"the game at {_address} closed the connection", e);
        }
        catch
        {
            response.Release();
            throw;
        }
    }

    /// <summary>Asks the game and returns its parsed answer.</summary>
    /// <exception cref="GameException">The game is gone, or answers with an error.</exception>
    public async Task<Response> AskForAsync(Request request, CancellationToken cancellation)
    {
        var bytes = await AskAsync(request, cancellation);
        try
        {
            var response = Response.Parser.ParseFrom(bytes.Span);
            if (response.Error.Count > 0 && response.ResponseCase == Response.ResponseOneofCase.None)
            {
                throw new GameException($"the game refuses {request.RequestCase}: {string.Join("; ", response.Error)}") { IsRefusal = true };
            }
            return response;
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new GameException($"{_address} is no StarCraft II game: its answer is no Response ({e.Message})", e);
        }
        finally
        {
            bytes.Release();
        }
    }

    /// <summary>Closes the connection without ceremony: the game does not wait for any.</summary>
    public ValueTask DisposeAsync()
    {
        _socket.Dispose();
        return ValueTask.CompletedTask;
    }
}
