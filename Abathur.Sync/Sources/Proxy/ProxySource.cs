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
/// Relays between bots and their games, each connection for itself, and publishes the observations: match after match, on one connection or
/// several. A bot's game does not depend on the publishing: if it fails, or the only match is over for agents and the recording, the relay
/// continues until the bot or the game closes.
/// </summary>
internal sealed class ProxySource : IMatchSource, IAsyncDisposable
{
    // Clients that only check whether the port is open must not block the bot; a few are enough.
    private const int MaxConnections = 16;
    private static readonly SubscriptionEnd Stopped = new(SubscriptionEndReason.Stopping, "the daemon is shutting down");
    private static readonly TimeSpan AcceptRetryDelay = TimeSpan.FromMilliseconds(100);

    private readonly ProxyOptions _options;
    private readonly TimeProvider _clock;
    private readonly ILogger _log;
    private readonly TcpListener _listener;
    private readonly TaskCompletionSource _relayed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _closing = new();
    private readonly ProxyGames _games;
    private readonly ProxyGroups _groups = new();
    private readonly Lock _gate = new();
    private readonly List<ProxyMatch> _matches = [];
    private readonly TaskCompletionSource<SubscriptionEnd> _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private IMatchSink? _sink;
    private int _connections;
    private long _messagesDropped;
    private long _messagesUnreadable;

    /// <param name="options">The addresses of bot and game.</param>
    /// <param name="recordings">Records the matches; null: they are not recorded. The caller disposes it.</param>
    /// <param name="log">Gets a message for each bot that is refused.</param>
    /// <param name="clock">Clock of all times.</param>
    public ProxySource(ProxyOptions options, MatchRecordings? recordings, ILogger log, TimeProvider clock)
    {
        (_options, Recordings, _log, _clock) = (options, recordings, log, clock);
        _listener = new TcpListener(options.Listen);
        _games = new ProxyGames(options.Games, clock);
        Abilities = new MatchAbilities { Kind = SourceKind.Proxy, Describe = status => status.Waiting = Waiting() };
    }

    /// <inheritdoc/>
    public MatchAbilities Abilities { get; }

    /// <inheritdoc/>
    public MatchRecordings? Recordings { get; }

    /// <summary>Called when a match is over and its recording, if it has one, is complete.</summary>
    public MatchEndHandler? MatchEnded { get; init; }

    /// <summary>Completes when the connections of bots and games have ended, which may be after the only match is over.</summary>
    public Task Relayed => _relayed.Task;

    /// <summary>Messages that were relayed but not inspected, because the queue was full.</summary>
    public long MessagesDropped => Interlocked.Read(ref _messagesDropped);

    /// <summary>Messages that were relayed but cannot be parsed.</summary>
    public long MessagesUnreadable => Interlocked.Read(ref _messagesUnreadable);

    /// <summary>Opens the port for bots and returns its address.</summary>
    /// <exception cref="SocketException">The port cannot be opened.</exception>
    public IPEndPoint Listen()
    {
        _listener.Start();
        return (IPEndPoint)_listener.LocalEndpoint;
    }

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken)
    {
        _sink = sink;
        _ = AcceptAsync();
        try
        {
            return await _over.Task.WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            await CloseAsync();
            return Stopped;
        }
        finally
        {
            lock (_gate)
            {
                foreach (var match in _matches) match.End(Stopped, isLast: true);
            }
        }
    }

    private ProxyMatch NextMatch()
    {
        var match = new ProxyMatch(_sink!, _options.AllowActions, Recordings, MatchEnded, _clock);
        lock (_gate) _matches.Add(match);
        return match;
    }

    /// <summary>Ends a match that has begun, and goes on with the next of its connection, which it returns; null if none follows.</summary>
    private ProxyMatch? GoOn(ProxyMatch match, SubscriptionEnd end)
    {
        if (_closing.IsCancellationRequested) return null;
        lock (_gate)
        {
            _matches.Remove(match);
            _groups.End(match.Feed.Run.Match!);
            var isLast = _options.Once && _groups.IsEmpty;
            // At once, because the bot's next request may belong to the next match.
            match.End(end, isLast);
            if (isLast) _over.TrySetResult(end);
        }
        return _options.Once ? null : NextMatch();
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
        foreach (var game in _games.Taken) game.Relay?.Abort();
        await _games.WaitUntilFreeAsync();
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

    /// <summary>Serves a connection. When it has ended, the next one may have its game.</summary>
    private async Task ServeAsync(Socket bot)
    {
        ProxyGame? seat = null;
        try
        {
            await using var stop = _closing.Token.Register(bot.Dispose);
            var handshake = new ProxyHandshake(bot, _options, _clock);
            if (!await OnThread(handshake.TryReadRequest)) return;
            if (!_over.Task.IsCompleted) seat = await _games.TakeAsync(handshake.Named, _closing.Token);
            if (seat is null || _over.Task.IsCompleted)
            {
                handshake.Refuse("503 Service Unavailable", WhyFull());
                return;
            }
            using var game = await OnThread(() => handshake.Connect(seat.Address, TellThatGameIsAwaited, _closing.Token));
            if (game is null) return;
            await RelayAsync(bot, game, seat, handshake);
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
            if (seat is not null)
            {
                _games.Free(seat);
                if (_games.Taken.Length == 0 && (_over.Task.IsCompleted || _closing.IsCancellationRequested)) _relayed.TrySetResult();
            }
        }
    }

    private string WhyFull() => _over.Task.IsCompleted
        ? "The proxy serves one match, which already has its bot."
        : _options.Games.Count > 1
        ? $"All {_options.Games.Count} games have a bot: a game has one client."
        : "A bot is already connected: a game has one client.";

    private async Task RelayAsync(Socket bot, Socket game, ProxyGame seat, ProxyHandshake handshake)
    {
        var match = NextMatch();
        var tap = new ProxyTap(match, _options.AllowActions, _log, _clock)
        {
            Beginning = _groups.Begin,
            GoOn = end => GoOn(match, end) is { } next ? match = next : null,
        };
        var relay = new ProxyRelay(bot, game, _clock) { Passed = tap.Messages };
        tap.Relay = relay;
        seat.Relay = relay;
        if (_closing.IsCancellationRequested) relay.Abort();
        var end = await relay.RunAsync(handshake.FromBot, handshake.FromGame);
        await tap.DisposeAsync();
        tap.End(end);
        Interlocked.Add(ref _messagesDropped, tap.Messages.Dropped);
        Interlocked.Add(ref _messagesUnreadable, tap.Unreadable);
        // The one that would have come next.
        lock (_gate) if (!match.Feed.HasBegun) _matches.Remove(match);
    }

    private WaitStatus Waiting()
    {
        var taken = _games.Taken;
        var status = new WaitStatus { Missing = Missing.Bot, BotAddress = _listener.LocalEndpoint.ToString() };
        if (Array.Exists(taken, game => game.Relay is not null)) status.Missing = Missing.Frames;
        else if (taken is [var game, ..]) (status.Missing, status.GameAddress) = (Missing.Game, game.Address.ToString());
        return status;
    }

    private void TellThatGameIsAwaited(string game, string why) =>
        LogMessages.GameAwaited(_log, game, _options.ConnectTimeout.TotalSeconds, why);

    private static Task<T> OnThread<T>(Func<T> action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
