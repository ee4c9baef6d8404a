using System.Net;
using System.Net.Sockets;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Drawing;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;
using Microsoft.Extensions.Logging;
using Status = Abathur.Sync.V1.Status;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Relays between one bot and its game and publishes the observations. The bot's game does not depend on the publishing: if it fails, or
/// the match is over for agents and the recording, the relay continues until the bot or the game closes.
/// </summary>
public sealed class ProxySource : IMatchSource, IAsyncDisposable
{
    // Clients that only check whether the port is open must not block the bot; a few are enough.
    private const int MaxConnections = 16;
    private static readonly TimeSpan SeatPatience = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan AcceptRetryDelay = TimeSpan.FromMilliseconds(100);

    private readonly ProxyOptions _options;
    private readonly MatchRecorder? _recorder;
    private readonly TimeProvider _clock;
    private readonly ILogger _log;
    private readonly TcpListener _listener;
    private readonly ActionQueue _actions;
    private readonly QueryQueue _queries;
    private readonly TaskCompletionSource _relayed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _closing = new();
    private readonly SemaphoreSlim _seat = new(1);
    private readonly TaskCompletionSource<SubscriptionEnd> _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile ProxyRelay? _relay;
    private MatchFeed? _feed;
    private MatchRun? _run;
    private int _connections;

    /// <param name="options">The addresses of bot and game.</param>
    /// <param name="recorder">Records the match; null: it is not recorded. The caller disposes it.</param>
    /// <param name="log">Gets a message for each bot that is refused.</param>
    /// <param name="clock">Clock of all times.</param>
    public ProxySource(ProxyOptions options, MatchRecorder? recorder, ILogger log, TimeProvider clock)
    {
        (_options, _recorder, _log, _clock) = (options, recorder, log, clock);
        _listener = new TcpListener(options.Listen);
        _actions = new ActionQueue(clock);
        _queries = new QueryQueue(() => _feed?.GameLoop ?? 0, clock);
        Times = new FrameTimes { Query = _queries.Times };
        Abilities = new MatchAbilities
        {
            Kind = SourceKind.Proxy,
            Actions = options.AllowActions ? _actions : null,
            Queries = _queries,
            Describe = Describe,
        };
    }

    /// <inheritdoc/>
    public MatchAbilities Abilities { get; }

    /// <summary>How the time of frames was spent.</summary>
    public FrameTimes Times { get; }

    /// <summary>Completes when the connection of the bot and its game has ended, which may be after the match is over.</summary>
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
        var run = sink.Current;
        (_run, _feed) = (run, new MatchFeed(run, _recorder, _clock));
        _ = AcceptAsync();
        try
        {
            return await _over.Task.WaitAsync(cancellation);
        }
        catch (OperationCanceledException)
        {
            await _closing.CancelAsync();
            _relay?.Abort();
            return new SubscriptionEnd(SubscriptionEndReason.Stopping, "the daemon is shutting down");
        }
        finally
        {
            _actions.Close();
            _queries.Close();
            _feed.End();
        }
    }

    private void Describe(Status status)
    {
        if (_options.AllowActions) status.Actions = _actions.Status;
        status.Recording = _recorder?.Status;
        status.FrameBudget = Times.ToBudget();
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _closing.CancelAsync();
        _listener.Dispose();
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

    /// <summary>Serves a connection. If no match begins on it, the next connection may use the seat.</summary>
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
                    _feed!.HasBegun
                        ? "The proxy serves one match, which already has its bot."
                        : "A bot is already connected: a game has one client.");
                return;
            }
            using var game = await OnThread(() => handshake.Connect(TellThatGameIsAwaited, _closing.Token));
            if (game is null) return;
            var end = await RelayAsync(bot, game, handshake);
            if (_feed!.HasBegun) _over.TrySetResult(end);
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
                if (_feed!.HasBegun || _closing.IsCancellationRequested) _relayed.TrySetResult();
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
        if (!isFree || !_feed!.HasBegun) return isFree;
        _seat.Release();
        return false;
    }

    private async Task<SubscriptionEnd> RelayAsync(Socket bot, Socket game, ProxyHandshake handshake)
    {
        var tap = new ProxyTap(_feed!, Times, _options.AllowActions, _log, _clock);
        var relay = new ProxyRelay(bot, game, _clock) { Passed = tap.Messages };
        var drawing = new GameDrawing(_run!.Drawings);
        var actions = new ProxyActions(_actions, _queries, relay, _feed!, drawing, Times, _clock);
        (tap.Ask, _actions.Arrived, _queries.Arrived) = (relay.Send, actions.Wake, actions.Wake);
        tap.Began = () =>
        {
            drawing.TerrainHeight = _run.Match!.GameInfo?.StartRaw?.TerrainHeight;
            actions.Wake();
        };
        if (_options.AllowActions)
        {
            _run.Drawings.Changed += actions.Wake;
            tap.BotDrew = request =>
            {
                drawing.BotDrew(request);
                actions.Wake();
            };
        }
        _ = tap.Over.ContinueWith(
            how => _over.TrySetResult(how.Result), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        _relay = relay;
        if (_closing.IsCancellationRequested) relay.Abort();
        var end = await relay.RunAsync(handshake.FromBot, handshake.FromGame);
        _relay = null;
        _run.Drawings.Changed -= actions.Wake;
        await actions.DisposeAsync();
        await tap.DisposeAsync();
        MessagesDropped += tap.Messages.Dropped;
        MessagesUnreadable += tap.Unreadable;
        // Use the end that the messages contain, even if the connection broke before they were parsed.
        if (tap.Over.IsCompletedSuccessfully) return await tap.Over;
        return end switch
        {
            _ when tap.HasEnded => new SubscriptionEnd(SubscriptionEndReason.MatchOver, "the game has ended"),
            RelayEnd.BotClosed => new SubscriptionEnd(SubscriptionEndReason.MatchOver, "the bot closed the connection"),
            RelayEnd.BotLost => new SubscriptionEnd(SubscriptionEndReason.SourceLost, "the bot's connection broke during the match"),
            _ => new SubscriptionEnd(SubscriptionEndReason.SourceLost, "the game closed the connection during the match"),
        };
    }

    private void TellThatGameIsAwaited(string game, string why) =>
        LogMessages.GameAwaited(_log, game, _options.ConnectTimeout.TotalSeconds, why);

    private static Task<T> OnThread<T>(Func<T> action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
