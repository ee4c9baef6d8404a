using System.Net;
using System.Net.Sockets;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Relays between one bot and its game and publishes the observations: match after match, on one connection or several. The bot's game does
/// not depend on the publishing: if it fails, or the only match is over for agents and the recording, the relay continues until the bot or
/// the game closes.
/// </summary>
public sealed class ProxySource : IMatchSource, IAsyncDisposable
{
    // Clients that only check whether the port is open must not block the bot; a few are enough.
    private const int MaxConnections = 16;
    private static readonly SubscriptionEnd Stopped = new(SubscriptionEndReason.Stopping, "the daemon is shutting down");
    private static readonly TimeSpan SeatPatience = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan AcceptRetryDelay = TimeSpan.FromMilliseconds(100);

    private readonly ProxyOptions _options;
    private readonly TimeProvider _clock;
    private readonly ILogger _log;
    private readonly TcpListener _listener;
    private readonly TaskCompletionSource _relayed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _closing = new();
    private readonly SemaphoreSlim _seat = new(1);
    private readonly TaskCompletionSource<SubscriptionEnd> _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile ProxyRelay? _relay;
    private IMatchSink? _sink;
    private volatile ProxyMatch? _match;
    private int _connections;

    /// <param name="options">The addresses of bot and game.</param>
    /// <param name="recordings">Records the matches; null: they are not recorded. The caller disposes it.</param>
    /// <param name="log">Gets a message for each bot that is refused.</param>
    /// <param name="clock">Clock of all times.</param>
    public ProxySource(ProxyOptions options, MatchRecordings? recordings, ILogger log, TimeProvider clock)
    {
        (_options, Recordings, _log, _clock) = (options, recordings, log, clock);
        _listener = new TcpListener(options.Listen);
    }

    /// <inheritdoc/>
    public MatchAbilities Abilities { get; } = new() { Kind = SourceKind.Proxy };

    /// <inheritdoc/>
    public MatchRecordings? Recordings { get; }

    /// <summary>Called when a match is over and its recording, if it has one, is complete.</summary>
    public MatchEndHandler? MatchEnded { get; init; }

    /// <summary>Completes when the connection of the bot and its game has ended, which may be after the only match is over.</summary>
    public Task Relayed => _relayed.Task;

    /// <summary>Messages that were relayed but not inspected, because the queue was full.</summary>
    public long MessagesDropped { get; private set; }

    /// <summary>Messages that were relayed but cannot be parsed.</summary>
    public long MessagesUnreadable { get; private set; }

    /// <summary>Opens the port for bots and returns its address.</summary>
    /// <exception cref="SocketException">The port cannot be opened.</exception>
    public IPEndPoint Listen()
    {
        _listener.Start();
        return (IPEndPoint)_listener.LocalEndpoint;
    }

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellation)
    {
        _sink = sink;
        _match = NextMatch();
        _ = AcceptAsync();
        try
        {
            return await _over.Task.WaitAsync(cancellation);
        }
        catch (OperationCanceledException)
        {
            await CloseAsync();
            return Stopped;
        }
        finally
        {
            _match!.End(Stopped);
        }
    }

    private ProxyMatch NextMatch() => new(_sink!.Current, _options.AllowActions, Recordings, MatchEnded, _clock);

    /// <summary>Ends the match that has begun, and goes on with the next, which it returns; null if none follows.</summary>
    private ProxyMatch? GoOn(SubscriptionEnd end)
    {
        if (_closing.IsCancellationRequested) return null;
        // At once, because the bot's next request may belong to the next match.
        _match!.End(end);
        if (_options.Once)
        {
            _over.TrySetResult(end);
            return null;
        }
        _sink!.GoOn(end);
        return _match = NextMatch();
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await CloseAsync();
        _listener.Dispose();
    }

    /// <summary>Ends the connection. What has passed on it is published and recorded then.</summary>
    private async Task CloseAsync()
    {
        await _closing.CancelAsync();
        _relay?.Abort();
        // The connection that holds the seat releases it immediately.
        await _seat.WaitAsync();
        _seat.Release();
    }

    private async Task AcceptAsync()
    {
        while (!_closing.IsCancellationRequested)
        {
            try
            {
                var bot = await _listener.AcceptSocketAsync(_closing.Token);
                if (Interlocked.Increment(ref _connections) <= MaxConnections) _ = ServeAsync(bot);
                else Drop(bot);
            }
            catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
            {
                break;
            }
            catch (SocketException)
            {
                // A connection that broke, or too many open files: continue with the next one.
                if (!_closing.IsCancellationRequested) await Task.Delay(AcceptRetryDelay, _clock);
            }
        }
    }

    private void Drop(Socket bot)
    {
        bot.Dispose();
        Interlocked.Decrement(ref _connections);
    }

    /// <summary>Serves a connection. When it has ended, the next one may use the seat.</summary>
    private async Task ServeAsync(Socket bot)
    {
        var isSeated = false;
        try
        {
            await using var stop = _closing.Token.Register(bot.Dispose);
            var handshake = new ProxyHandshake(bot, _options, _clock);
            if (!await OnThread(handshake.TryReadRequest)) return;
            isSeated = await TakeSeatAsync();
            if (!isSeated)
            {
                handshake.Refuse(
                    "503 Service Unavailable",
                    _over.Task.IsCompleted
                        ? "The proxy serves one match, which already has its bot."
                        : "A bot is already connected: a game has one client.");
                return;
            }
            using var game = await OnThread(() => handshake.Connect(TellThatGameIsAwaited, _closing.Token));
            if (game is null) return;
            await RelayAsync(bot, game, handshake);
        }
        catch (ProxyException e)
        {
            if (!_closing.IsCancellationRequested) LogMessages.BotRefused(_log, e.Message);
        }
        catch (Exception e) when (!_closing.IsCancellationRequested)
        {
            _over.TrySetException(e);
            _relayed.TrySetException(e);
        }
        catch (Exception)
        {
            // The daemon is shutting down.
        }
        finally
        {
            Drop(bot);
            if (isSeated)
            {
                if (_over.Task.IsCompleted || _closing.IsCancellationRequested) _relayed.TrySetResult();
                _seat.Release();
            }
        }
    }

    /// <summary>Whether a bot may connect to the game. This waits briefly, because a bot may reconnect before its old connection has
    /// ended.</summary>
    private async Task<bool> TakeSeatAsync()
    {
        var isFree = await _seat.WaitAsync(SeatPatience, _closing.Token)
            || (_relay is { IsEnding: true } && await _seat.WaitAsync(2 * ProxyRelay.EndTimeout, _closing.Token));
        if (!isFree || !_over.Task.IsCompleted) return isFree;
        _seat.Release();
        return false;
    }

    private async Task RelayAsync(Socket bot, Socket game, ProxyHandshake handshake)
    {
        var tap = new ProxyTap(_match!, _options.AllowActions, _log, _clock) { GoOn = GoOn };
        var relay = new ProxyRelay(bot, game, _clock) { Passed = tap.Messages };
        tap.Relay = relay;
        _relay = relay;
        if (_closing.IsCancellationRequested) relay.Abort();
        var end = await relay.RunAsync(handshake.FromBot, handshake.FromGame);
        _relay = null;
        await tap.DisposeAsync();
        tap.End(end);
        MessagesDropped += tap.Messages.Dropped;
        MessagesUnreadable += tap.Unreadable;
    }

    private void TellThatGameIsAwaited(string game, string why) =>
        LogMessages.GameAwaited(_log, game, _options.ConnectTimeout.TotalSeconds, why);

    private static Task<T> OnThread<T>(Func<T> action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
