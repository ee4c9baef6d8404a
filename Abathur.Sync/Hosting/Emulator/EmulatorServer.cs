using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using Abathur.Emulator;
using Abathur.Sync.Access;
using Abathur.Sync.Transports.Http;
using Abathur.Sync.Transports.WebSocket;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Hosting;

namespace Abathur.Sync.Hosting.Emulator;

/// <summary>Serves an emulated game at <c>ws://127.0.0.1:PORT/sc2api</c>: one client at a time, others are refused with 503.</summary>
internal sealed class EmulatorServer : IAsyncDisposable
{
    /// <summary>Path to which clients of the game connect.</summary>
    public const string Path = "/sc2api";

    private const int MaxConnections = 32;
    private static readonly TimeSpan RequestHeadTimeout = TimeSpan.FromSeconds(10);

    private readonly GameEmulator _game;
    private readonly EmulatorServerOptions _options;
    private readonly TimeProvider _clock;
    private readonly WebApplication _app;
    private readonly SemaphoreSlim _seat = new(1);
    private readonly TaskCompletionSource _quit = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ListenOptions? _listener;

    /// <param name="game">The game; used by one client at a time.</param>
    /// <param name="options">Address and limits.</param>
    /// <param name="clock">Clock of all times.</param>
    public EmulatorServer(GameEmulator game, EmulatorServerOptions options, TimeProvider clock)
    {
        (_game, _options, _clock) = (game, options, clock);
        var builder = KestrelHost.CreateBuilder(MaxConnections, clock);
        builder.WebHost.ConfigureKestrel(Listen);
        _app = builder.Build();
        var endpoint = new WebSocketEndpoint(Path, "clients of the game", ServeAsync, _app.Lifetime.ApplicationStopping);
        var routes = new HttpRoutes(
            new WebOrigins([]) { AnyPort = true, AnyLoopback = true }, AccessTokens.None,
            $"clients of the game connect to {Path}").Add(Path, endpoint.HandleAsync);
        _app.UseWebSockets();
        _app.Run(routes.HandleAsync);
    }

    /// <summary>Completes when a client has quit the game.</summary>
    public Task Quit => _quit.Task;

    /// <summary>Opens the port. Throws <see cref="ListenException"/> if that fails.</summary>
    public async Task<BoundAddresses> StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _app.StartAsync(cancellationToken);
        }
        catch (Exception e) when (e is IOException or SocketException)
        {
            var advice = e.InnerException is AddressInUseException ? " Choose another port with --listen (0: any free one)." : "";
            throw new ListenException($"cannot listen: {e.Message}{advice}", e);
        }
        return new BoundAddresses([("sc2api", _listener!.IPEndPoint!.ToString())]);
    }

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    private void Listen(KestrelServerOptions kestrel)
    {
        kestrel.AddServerHeader = false;
        kestrel.Limits.RequestHeadersTimeout = RequestHeadTimeout;
        kestrel.Listen(IPAddress.Loopback, _options.Port, listener =>
        {
            listener.Protocols = HttpProtocols.Http1;
            _listener = listener;
        });
    }

    private async Task ServeAsync(HttpContext http, CancellationToken stopping)
    {
        if (!await TakeSeatAsync(stopping))
        {
            await HttpAnswer.TextAsync(
                http.Response, StatusCodes.Status503ServiceUnavailable, "another client is connected: the game accepts one at a time");
            return;
        }
        try
        {
            // No pings, because a bot may be stopped in a debugger for any time.
            using var socket = await WebSocketHandshake.AcceptAsync(
                http, TimeSpan.Zero, Timeout.InfiniteTimeSpan, wrap: stream => new TextAsBinaryStream(stream));
            using var connection = new WebSocketConnection(socket, _options.MaxRequestBytes, _options.CloseTimeout, _clock, http.Abort);
            using var timeout = new CancellationTokenSource(Timeout.InfiniteTimeSpan, _clock);
            // A client that reads nothing must not keep the server from stopping.
            await using var aborting = timeout.Token.Register(http.Abort);
            await using var hurrying = stopping.Register(() => timeout.CancelAfter(_options.CloseTimeout));
            _game.Connect();
            var (status, reason) = await RunAsync(connection, stopping);
            await connection.CloseAsync(status, reason);
        }
        finally
        {
            _seat.Release();
            if (_game.Status == SC2APIProtocol.Status.Quit) _quit.TrySetResult();
        }
    }

    private async Task<bool> TakeSeatAsync(CancellationToken stopping)
    {
        try
        {
            return await _seat.WaitAsync(_options.SeatTimeout, stopping);
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private async Task<(WebSocketCloseStatus Status, string Reason)> RunAsync(WebSocketConnection connection, CancellationToken stopping)
    {
        try
        {
            return await new EmulatorSession(_game, connection, _clock).RunAsync(stopping);
        }
        catch (OperationCanceledException)
        {
            return (WebSocketCloseStatus.EndpointUnavailable, "the emulator is shutting down");
        }
    }
}
