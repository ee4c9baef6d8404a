using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hub;
using Abathur.Sync.Sources;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.GameSync;
using Abathur.Sync.Transports.Grpc;
using Abathur.Sync.Transports.Socket;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Hosting;

/// <summary>One source, one hub, and the transports around them.</summary>
public sealed class Daemon : IAsyncDisposable
{
    private const string ServiceName = "abathur.sync.v1.GameSync";

    private readonly DaemonOptions _options;
    private readonly IMatchSource _source;
    private readonly FrameHub _hub;
    private readonly WebApplication _app;
    private readonly GrpcHealth _health = new();
    private readonly List<(string Transport, ListenOptions Listener)> _listeners = [];

    /// <param name="source">Source of the frames; the caller keeps it.</param>
    /// <param name="options">Where to listen.</param>
    /// <param name="clock">Clock of everything.</param>
    public Daemon(IMatchSource source, DaemonOptions options, TimeProvider clock)
    {
        _options = options;
        _source = source;
        _hub = new FrameHub(options.Hub, source.Match.MatchId, source.CanWait, clock);
        var api = new SyncApi(source, _hub, clock);
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.AddProvider(new StandardErrorLoggerProvider());
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.WebHost.UseKestrelCore();
        builder.Services.AddSingleton<IMemoryPoolFactory<byte>>(_ => new BlockMemoryPool.Factory(clock));
        // With the default of 64 KB, almost every frame waits for the socket, and each such wait allocates.
        builder.Services.Configure<SocketTransportOptions>(sockets => sockets.MaxWriteBufferSize = BlockMemoryPool.BlockBytes);
        builder.WebHost.ConfigureKestrel(kestrel => Listen(kestrel, new SocketHandler(api, clock)));
        // What is to be drained has been drained when the server is told to stop.
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = TimeSpan.FromSeconds(1));
        _app = builder.Build();
        var log = _app.Services.GetRequiredService<ILoggerFactory>().CreateLogger("Abathur.Sync");
        GrpcService[] services = [new GameSyncService(api).Service, _health.Service];
        var grpc = new GrpcServer(
            new GrpcServerOptions { TimeProvider = clock, OnHandlerFailure = (method, e) => Log.HandlerFailed(log, method, e) },
            [.. services, .. GrpcReflection.For(services)]);
        _app.Run(grpc.HandleAsync);
    }

    /// <summary>Fan-out of the match.</summary>
    public FrameHub Hub => _hub;

    /// <summary>Opens the ports. Throws <see cref="DaemonException"/> where one cannot be had.</summary>
    public async Task<BoundAddresses> StartAsync(CancellationToken cancellation)
    {
        RemoveStaleSocket(_options.GrpcUnixSocket);
        RemoveStaleSocket(_options.SocketUnixSocket);
        try
        {
            await _app.StartAsync(cancellation);
        }
        catch (IOException e)
        {
            throw new DaemonException($"cannot listen: {e.Message} Another daemon may be running; choose other ports with --grpc-port and --socket-port (0: any free one)", e);
        }
        Restrict(_options.GrpcUnixSocket);
        Restrict(_options.SocketUnixSocket);
        _health.Set(ServiceName, GrpcServingStatus.Serving);
        return new BoundAddresses([.. _listeners.Select(each => (each.Transport, Describe(each.Listener)))]);
    }

    /// <summary>Publishes the match, waits until the agents have taken it, and closes.</summary>
    public async Task<SubscriptionEnd> RunAsync(CancellationToken cancellation)
    {
        var end = await _source.RunAsync(_hub, cancellation);
        await FinishAsync(end);
        return end;
    }

    public async ValueTask DisposeAsync()
    {
        await FinishAsync(new SubscriptionEnd(SubscriptionEndReason.Stopping, "the daemon stops"));
        await _app.StopAsync();
        await _app.DisposeAsync();
        foreach (var path in new[] { _options.GrpcUnixSocket, _options.SocketUnixSocket }) RemoveStaleSocket(path);
    }

    private async Task FinishAsync(SubscriptionEnd end)
    {
        _health.Set(ServiceName, GrpcServingStatus.NotServing);
        using var limit = new CancellationTokenSource(_options.DrainTimeout);
        try
        {
            await _hub.FinishAsync(end).WaitAsync(limit.Token);
            await _hub.WaitForSubscribersAsync(count => count == 0, limit.Token);
        }
        catch (OperationCanceledException)
        {
            // Whoever has not taken the end by now is cut off.
        }
    }

    private void Listen(KestrelServerOptions kestrel, SocketHandler socket)
    {
        kestrel.AddServerHeader = false;
        kestrel.Limits.MaxConcurrentConnections = _options.MaxConnections;
        GrpcKestrel.SetLimits(kestrel.Limits);
        if (_options.GrpcPort is { } grpcPort) kestrel.Listen(_options.Address, grpcPort, listener => AsGrpc(listener));
        if (_options.GrpcUnixSocket is { } grpcPath) kestrel.ListenUnixSocket(grpcPath, listener => AsGrpc(listener));
        if (_options.SocketPort is { } socketPort) kestrel.Listen(_options.Address, socketPort, listener => AsSocket(listener));
        if (_options.SocketUnixSocket is { } socketPath) kestrel.ListenUnixSocket(socketPath, listener => AsSocket(listener));

        void AsGrpc(ListenOptions listener)
        {
            listener.UseGrpc();
            _listeners.Add(("grpc", listener));
        }

        void AsSocket(ListenOptions listener)
        {
            listener.Run(socket.HandleAsync);
            _listeners.Add(("socket", listener));
        }
    }

    private static string Describe(ListenOptions listener) => listener.SocketPath is { } path ? $"unix:{path}" : listener.IPEndPoint!.ToString();

    private static void RemoveStaleSocket(string? path)
    {
        if (path is not null && File.Exists(path)) File.Delete(path);
    }

    /// <summary>Only the user who started the daemon may connect.</summary>
    private static void Restrict(string? path)
    {
        if (path is not null && !OperatingSystem.IsWindows()) File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }
}
