using System.Net;
using System.Net.Sockets;
using System.Security.Authentication;
using Abathur.Sync.Access;
using Abathur.Sync.Dashboard;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Diagnostics.Metrics;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Sources;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.Grpc;
using Abathur.Sync.Transports.Http;
using Abathur.Sync.Transports.Socket;
using Abathur.Sync.Transports.WebSocket;
using Abathur.Sync.V1;
using Grpc.Health.V1;
using Grpc.HealthCheck;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using ServingStatus = Grpc.Health.V1.HealthCheckResponse.Types.ServingStatus;

namespace Abathur.Sync.Hosting;

/// <summary>One source, its matches, and the transports around them.</summary>
public sealed class Daemon : IAsyncDisposable
{
    private const int SendBufferBytes = 256 * 1024;

    private static readonly TimeSpan RequestHeadTimeout = TimeSpan.FromSeconds(8);
    private static readonly SubscriptionEnd Stopped = new(SubscriptionEndReason.Stopping, "the daemon is shutting down");

    private readonly DaemonOptions _options;
    private readonly IMatchSource _source;
    private readonly TimeProvider _clock;
    private readonly MatchView _live;
    private readonly MatchView _watched;
    private readonly WebApplication _app;
    private readonly HealthServiceImpl _health = new();
    private readonly Dictionary<MatchView, CompareEndpoint> _compare = [];
    private readonly List<MatchDelay> _delays = [];
    private readonly List<Task> _ending = [];
    private readonly ILogger _log;
    private readonly SyncApi _api;
    private readonly UnauthenticatedConnections _unauthenticated;
    private readonly List<(string Transport, ListenOptions Listener)> _listeners = [];
    private readonly Lock _gate = new();
    private readonly DaemonMeter _meter;
    private readonly PrometheusText _metrics;
    private readonly Task _describing;
    private volatile bool _listens;
    private volatile bool _isStopping;
    private readonly TaskCompletionSource _stopRequested = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task? _finished;

    /// <param name="source">Source of the frames; the caller keeps it.</param>
    /// <param name="options">Where to listen.</param>
    /// <param name="clock">Clock of all times.</param>
    /// <exception cref="ArgumentException">The options are invalid (<see cref="DaemonOptions.Problem"/>).</exception>
    public Daemon(IMatchSource source, DaemonOptions options, TimeProvider clock)
    {
        if (options.Problem() is { } problem) throw new ArgumentException(problem, nameof(options));
        _options = options;
        _source = source;
        _clock = clock;
        _log = ProgramLog.Factory.CreateLogger("Abathur.Sync");
        var isDelayed = options.Access.WatchDelay > TimeSpan.Zero;
        var limits = new HubLimits(options.Hub, clock);
        // The history, in which also the frames wait that are shown later, is divided in halves.
        var whole = options.Hub.HistoryBytes;
        var (bytes, bytesLater) = isDelayed ? ((whole + 1) / 2, whole / 2) : (whole, 0);
        var ids = isDelayed ? new SubscriptionIds(first: 2, step: 2) : new SubscriptionIds();
        _live = _watched = new MatchView(new HubShare(limits, ids) { HistoryBytes = bytes }, source.Abilities)
        {
            NextRecording = source.Recordings is { } files ? () => files.Next : null,
        };
        if (isDelayed)
        {
            _watched = new MatchView(
                new HubShare(limits, new SubscriptionIds(first: 1, step: 2)) { HistoryBytes = bytesLater },
                new MatchAbilities { Kind = source.Abilities.Kind })
            {
                Delay = options.Access.WatchDelay,
                HidesLoad = true,
            };
        }
        if (source.Match is { } match) Begin(match);
        MatchView[] views = isDelayed ? [_live, _watched] : [_live];
        _api = new SyncApi(_live, _watched, options.Access, clock, source is PushSource push ? push.OpenAsync : null);
        _unauthenticated = new UnauthenticatedConnections(options.Access.Tokens, clock);
        var builder = KestrelHost.CreateBuilder(options.MaxConnections, clock);
        if (options.Access.Tls is not null) builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(kestrel => Listen(kestrel, new SocketHandler(_api, clock)));
        builder.Services.Configure<SocketTransportOptions>(transport => transport.CreateBoundListenSocket = CreateListenSocket);
        GrpcEndpoints.AddServices(builder.Services, _api, _health);
        _app = builder.Build();
        foreach (var view in views)
        {
            _compare[view] = new CompareEndpoint(view, options.Hub, clock, _app.Lifetime.ApplicationStopping);
            view.Share.Joined += subscription => LogSubscribed(_log, subscription);
            view.Share.Left += subscription => LogUnsubscribed(_log, subscription);
        }
        var sync = new WebSocketEndpoint(
            WebSocketEndpoint.SyncPath, "agents", new WebSocketHandler(_api, options.WebSocket, clock).HandleAsync,
            _app.Lifetime.ApplicationStopping);
        var access = options.Access;
        var origins = new WebOrigins(access.AllowedOrigins) { Hosts = access.AllowedHosts, IsTls = access.Tls is not null };
        var routes = new HttpRoutes(origins, access.Tokens, $"the dashboard is at /, and agents connect to {WebSocketEndpoint.SyncPath}")
            .Add(WebSocketEndpoint.SyncPath, sync.HandleAsync);
        var page = new DashboardPage();
        foreach (var path in page.Paths) routes.Add(path, page.HandleAsync);
        var recordings = new RecordingsEndpoint(
            options.Recordings, options.Hub, options.WebSocket, access, clock, _app.Lifetime.ApplicationStopping);
        routes.Add(
            RecordingsEndpoint.Path, recordings.ListAsync, AccessLevel.Watch).AddPrefix(RecordingsEndpoint.Prefix, recordings.HandleAsync);
        routes.Add(
            CompareEndpoint.Path,
            http =>
                http.Request.Query[CompareEndpoint.Run] is [{ Length: > 0 } run]
                    ? recordings.CompareAsync(run, http)
                    : CompareFor(http).HandleAsync(http),
            AccessLevel.Watch);
        _meter = new DaemonMeter(views, () => _api.GetStatus(AccessLevel.Act), source.Recordings, clock);
        _metrics = new PrometheusText();
        new OperationsEndpoints(_api, _metrics, () => _listens && !_isStopping).AddTo(routes);
        _app.Use(
            (http, next) =>
            {
                if (Access.UnauthenticatedConnections.Waits(http.Features) && _api.LevelOf(WebSocketToken.Of(http)) != AccessLevel.None)
                    Access.UnauthenticatedConnections.Authenticated(http.Features);
                return next(http);
            });
        // Last, because it must be the only one: from here to its end, nothing else uses descriptions.
        _describing = Task.Run(DescribeMessages);
        // gRPC's listeners speak HTTP/2 only, the web's HTTP/1.1 only.
        _app.MapWhen(http => !HttpProtocol.IsHttp2(http.Request.Protocol), branch => branch.UseWebSockets().Run(routes.HandleAsync));
        GrpcEndpoints.Map(_app, new GrpcGate(_api, clock));
    }

    private string Advice(Exception failure)
    {
        if (failure.InnerException is AddressInUseException)
            return " Another daemon may be running: let this one choose its ports with --ports auto, or name them with --grpc-port, "
                + "--socket-port and --http-port.";
        if (failure is not SocketException { SocketErrorCode: SocketError.AccessDenied }) return "";
        return UnixSockets.Any()
            ? $". Ports from 1024 on are free for all users; for {string.Join(" and ", UnixSockets)}, the folder must be writable."
            : ". Ports below 1024 need a right that this user does not have: choose others, or --ports auto.";
    }

    private IEnumerable<string> UnixSockets => new[] { _options.GrpcUnixSocket, _options.SocketUnixSocket }.OfType<string>();

    /// <summary>Whether a match was lost: the game, or the bot that publishes, has disconnected in it.</summary>
    public bool AnyLost { get; private set; }

    /// <summary>The match that runs, of several the one that began last; else the one that comes next.</summary>
    public MatchRun Run => _live.Current;

    /// <summary>Waits until a match is over.</summary>
    public Task WaitForEndAsync(MatchRun run, CancellationToken cancellationToken) => _live.WaitForEndAsync(run, cancellationToken);

    /// <summary>Matches that are over and have readers still.</summary>
    internal int MatchesThatEnd
    {
        get
        {
            lock (_gate) return _ending.Count(task => !task.IsCompleted);
        }
    }

    /// <summary>The requests of its clients, for those in this process.</summary>
    internal SyncApi Api => _api;

    /// <summary>Connections of which no request had a token yet, where tokens are in use.</summary>
    internal int UnauthenticatedConnections => _unauthenticated.Open;

    /// <summary>Connections that are open now, of all listeners together.</summary>
    public int OpenConnections => _app.Services.GetRequiredService<ConnectionLimit>().Open;

    /// <summary>Opens the ports. Throws <see cref="ListenException"/> if that fails.</summary>
    public async Task<BoundAddresses> StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            foreach (var path in UnixSockets) UnixSocketPath.Clear(path);
            await _app.StartAsync(cancellationToken);
        }
        catch (Exception e) when (e is IOException or SocketException or UnauthorizedAccessException or ArgumentException)
        {
            throw new ListenException($"cannot listen: {e.Message}{Advice(e)}", e);
        }
        _listens = true;
        _health.SetStatus("", ServingStatus.Serving);
        _health.SetStatus(GameSyncMethods.ServiceName, ServingStatus.Serving);
        return new BoundAddresses([.. _listeners.Select(each => (each.Transport, Describe(each.Listener)))]);
    }

    /// <summary>Publishes the match, waits until the agents have read it, also those who see it later, and closes.</summary>
    public async Task<SubscriptionEnd> RunAsync(CancellationToken cancellationToken)
    {
        // The readers before the source: it may be waiting for one of them.
        await using var stopping = cancellationToken.Register(Stop);
        try
        {
            await _describing;
            var end = await _source.RunAsync(new Sink(this), cancellationToken);
            AnyLost |= end.Reason == SubscriptionEndReason.SourceLost;
            await FinishAsync(end);
            return end;
        }
        catch (Exception e)
        {
            // Agents get the reason.
            await FinishAsync(new SubscriptionEnd(SubscriptionEndReason.SourceLost, e.Message));
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await FinishAsync(Stopped);
        await _app.StopAsync();
        await _app.DisposeAsync();
        foreach (var delay in _delays) delay.Dispose();
        _watched.Dispose();
        _live.Dispose();
        _metrics.Dispose();
        _meter.Dispose();
        // Kestrel does not remove sockets. If startup failed because another program has them open, they stay.
        if (_listens) foreach (var path in UnixSockets) File.Delete(path);
    }

    private CompareEndpoint CompareFor(HttpContext http) => _compare[_api.ViewOf(_api.LevelOf(WebSocketToken.Of(http)))];

    private void Stop()
    {
        // Matches may be over, and be shown later still.
        lock (_gate)
        {
            foreach (var delay in _delays) delay.Stop(Stopped);
        }
        _ = FinishAsync(Stopped);
        _stopRequested.TrySetResult();
    }

    /// <summary>Runs once, so that the daemon does not wait twice for agents that read nothing.</summary>
    private Task FinishAsync(SubscriptionEnd end)
    {
        lock (_gate) return _finished ??= FinishOnceAsync(end);
    }

    private async Task FinishOnceAsync(SubscriptionEnd end)
    {
        var draining = _live.Open().Select(run => DrainAsync(run, end)).ToList();
        // Matches that are over end by themselves.
        foreach (var delay in _delays.Where(each => !each.IsEnding))
        {
            if (end.IsOfMatch) delay.End(end, isLast: true);
            else delay.Stop(end);
        }
        if (_delays.Count > 0 && end.IsOfMatch) LogMessages.EndIsShownLater(ProgramLog.Logger, _options.Access.WatchDelay.TotalSeconds);
        var shown = await Task.WhenAll(_delays.Select(async delay => (End: await delay.Completed, delay.Later)));
        // Not before: whether the daemon is ready needs no token.
        StopServing();
        _live.EndReaders(end);
        if (_watched != _live)
        {
            _watched.EndReaders(end);
            draining.AddRange(_watched.Open().Select(run => DrainAsync(run, EndOf(run))));
        }
        await Task.WhenAll([.. draining, .. _ending]);

        SubscriptionEnd EndOf(MatchRun later) => shown.FirstOrDefault(each => each.Later == later).End ?? end;
    }

    /// <summary>Begins a match.</summary>
    private MatchRun Begin(Match match, MatchAbilities? abilities = null, Func<RecordingStatus?>? recording = null)
    {
        lock (_gate)
        {
            return _live.Begin(match, abilities, recording, run =>
            {
                if (_watched == _live || _finished is not null) return;
                var turn = Task.WhenAll(_delays.Select(each => each.IsEnding ? each.Completed : each.Begun));
                _delays.Add(new MatchDelay(run, _watched, turn, _log, _clock));
            });
        }
    }

    /// <summary>Ends a match, while others may run or follow.</summary>
    private void End(MatchRun run, SubscriptionEnd end, Task? publishing)
    {
        lock (_gate)
        {
            AnyLost |= end.Reason == SubscriptionEndReason.SourceLost;
            // The daemon is stopping, which ends all matches.
            if (_finished is not null) return;
            _live.End(run);
            var delay = _delays.Find(each => each.Shows(run));
            delay?.End(end, isLast: false);
            _ending.RemoveAll(task => task.IsCompleted);
            _ending.Add(EndAsync(_live, run, end, delay, publishing));
            if (delay is not null) _ending.Add(ShowEndAsync(delay));
        }
    }

    /// <summary>Lets those read the rest of a match who see it later.</summary>
    private async Task ShowEndAsync(MatchDelay delay)
    {
        var end = await delay.Completed;
        if (delay.Later is { } later) await EndAsync(_watched, later, end);
    }

    /// <summary>Lets readers read the rest of a match, and then keeps it as one that is over.</summary>
    private async Task EndAsync(
        MatchView view, MatchRun run, SubscriptionEnd end, MatchDelay? delay = null, Task? publishing = null)
    {
        await DrainAsync(run, end);
        if (publishing is not null) await publishing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        run.Hub.Abort();
        if (delay is not null)
        {
            await delay.Completed;
            lock (_gate) _delays.Remove(delay);
            delay.Dispose();
        }
        view.Keep(run);
    }

    /// <summary>Makes the descriptions of messages before the source and clients need them. Google.Protobuf 3.36 keeps them in a collection
    /// that is not thread-safe: two threads that use messages of different files for the first time could make both unusable. Beside the
    /// rest of the start, because it takes long.</summary>
    private static void DescribeMessages()
    {
        _ = SC2APIProtocol.Sc2ApiReflection.Descriptor;
        _ = SyncReflection.Descriptor;
        _ = HealthReflection.Descriptor;
    }

    private ConnectionDelegate WaitForDescriptions(ConnectionDelegate next) => async connection =>
    {
        await _describing;
        await next(connection);
    };

    private void StopServing()
    {
        _isStopping = true;
        _health.SetStatus(GameSyncMethods.ServiceName, ServingStatus.NotServing);
        foreach (var endpoint in _compare.Values) endpoint.Dispose();
    }

    private async Task DrainAsync(MatchRun run, SubscriptionEnd end)
    {
        var finishing = EndAllAsync(run, end);
        var stop = _stopRequested.Task;
        // At the end of a match, readers have any time as long as they read something. After a stop request, the time is limited.
        while (end.IsOfMatch && !stop.IsCompleted)
        {
            var sent = run.Hub.FramesSent;
            var first = await Task.WhenAny(finishing, stop, Task.Delay(_options.MatchEndTimeout, _clock));
            if (first == finishing || (first != stop && run.Hub.FramesSent == sent)) return;
        }
        await Task.WhenAny(finishing, Task.Delay(_options.DrainTimeout, _clock));
    }

    private static async Task EndAllAsync(MatchRun run, SubscriptionEnd end)
    {
        await run.FinishAsync(end);
        await run.Hub.WaitForSubscribersAsync(count => count == 0, CancellationToken.None);
    }

    private void Listen(KestrelServerOptions kestrel, SocketHandler socket)
    {
        kestrel.AddServerHeader = false;
        kestrel.Limits.RequestHeadersTimeout = RequestHeadTimeout;
        GrpcKestrel.SetLimits(kestrel.Limits);
        if (_options.GrpcPort is { } grpcPort) kestrel.Listen(_options.Access.Address, grpcPort, listener => AsGrpc(listener));
        if (_options.GrpcUnixSocket is { } grpcPath) kestrel.ListenUnixSocket(grpcPath, listener => AsGrpc(listener));
        if (_options.SocketPort is { } socketPort) kestrel.Listen(_options.Access.Address, socketPort, listener => AsSocket(listener));
        if (_options.SocketUnixSocket is { } socketPath) kestrel.ListenUnixSocket(socketPath, listener => AsSocket(listener));

        if (_options.HttpPort is { } httpPort) kestrel.Listen(_options.Access.Address, httpPort, listener => AsHttp(listener));

        void AsHttp(ListenOptions listener)
        {
            listener.Protocols = HttpProtocols.Http1;
            listener.Use(WaitForDescriptions);
            listener.Use(_unauthenticated.Guard);
            Encrypt(listener);
            _listeners.Add(("http", listener));
        }

        void AsGrpc(ListenOptions listener)
        {
            listener.Use(WaitForDescriptions);
            listener.Use(_unauthenticated.Guard);
            Encrypt(listener);
            listener.UseGrpc(RequestHeadTimeout, _clock);
            _listeners.Add(("grpc", listener));
        }

        void AsSocket(ListenOptions listener)
        {
            listener.Use(WaitForDescriptions);
            listener.Use(_unauthenticated.Guard);
            Encrypt(listener);
            listener.Run(socket.HandleAsync);
            _listeners.Add(("socket", listener));
        }
    }

    /// <summary>A Unix domain socket is local and needs no TLS.</summary>
    private void Encrypt(ListenOptions listener)
    {
        if (_options.Access.Tls is not { } tls || listener.SocketPath is not null) return;
        listener.UseHttps(new HttpsConnectionAdapterOptions
        {
            ServerCertificate = tls.Certificate,
            ServerCertificateChain = tls.Chain,
            SslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
            HandshakeTimeout = RequestHeadTimeout,
        });
    }

    // Accepted connections inherit these options.
    private Socket CreateListenSocket(EndPoint endpoint)
    {
        var socket = SocketTransportOptions.CreateDefaultBoundListenSocket(endpoint);
        // By default the operating system buffers megabytes for a slow reader, which are stale when they arrive.
        socket.SendBufferSize = SendBufferBytes;
        if (endpoint is IPEndPoint) TcpKeepAlive.NoticeAfter(socket, _options.DeadPeerTimeout);
        // Before it listens, so that no other user can connect before that.
        if (endpoint is UnixDomainSocketEndPoint path) UnixSocketPath.Restrict(path.ToString()!);
        return socket;
    }

    private static string Describe(ListenOptions listener) =>
        listener.SocketPath is { } path ? $"unix:{path}" : listener.IPEndPoint!.ToString();

    private static void LogSubscribed(ILogger log, Subscription subscription)
    {
        if (!log.IsEnabled(LogLevel.Information)) return;
        var options = subscription.Options;
        LogMessages.Subscribed(
            log, subscription.Id, options.Name, options.Peer, options.Transport, options.Policy.ToString(), options.Format.ToString());
    }

    private static void LogUnsubscribed(ILogger log, Subscription subscription)
    {
        if (!log.IsEnabled(LogLevel.Information)) return;
        var status = subscription.Status(0);
        LogMessages.Unsubscribed(
            log, subscription.Id, status.Name, status.Peer, subscription.End?.Reason.ToString() ?? "Closed", status.FramesSent,
            status.FramesDropped, status.BytesSent);
    }

    /// <summary>Where the source publishes.</summary>
    private sealed class Sink(Daemon daemon) : IMatchSink
    {
        public MatchRun Begin(Match match, MatchAbilities? abilities = null, Func<RecordingStatus?>? recording = null) =>
            daemon.Begin(match, abilities, recording);

        public void End(MatchRun run, SubscriptionEnd end, Task? publishing = null) => daemon.End(run, end, publishing);
    }
}
