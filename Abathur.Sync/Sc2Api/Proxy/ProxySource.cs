using System.Net;
using System.Net.Sockets;
using Abathur.Sync.Hub;
using Abathur.Sync.Recordings;
using Abathur.Sync.Sources;
using Abathur.Sync.Sources.Live;
using Abathur.Sync.Transports.Grpc;
using Abathur.Sync.V1;
using Google.Protobuf;
using Request = SC2APIProtocol.Request;
using Response = SC2APIProtocol.Response;
using Status = Abathur.Sync.V1.Status;

namespace Abathur.Sync.Sc2Api.Proxy;

/// <summary>
/// Stands between one bot and its game and publishes what passes. The bot's game does not depend on it: when the match is published no
/// more, or its agents and its recording are gone, bytes go on until the bot or the game ends them.
/// </summary>
public sealed class ProxySource : IMatchSource, IAsyncDisposable
{
    private readonly ProxyOptions _options;
    private readonly MatchRecorder? _recorder;
    private readonly TimeProvider _clock;
    private readonly Action<string> _tell;
    private readonly TcpListener _listener;
    private readonly ActionQueue _actions;
    private readonly TaskCompletionSource _relayed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _closing = new();
    private ProxyRelay? _relay;
    private MatchFeed? _feed;
    private int _busy;
    private int _injecting;

    /// <param name="options">Between whom.</param>
    /// <param name="recorder">Records the match; null: it is not recorded. The caller disposes it.</param>
    /// <param name="tell">Told, in a line each, what a person should know.</param>
    /// <param name="clock">Clock of everything.</param>
    public ProxySource(ProxyOptions options, MatchRecorder? recorder, Action<string> tell, TimeProvider clock)
    {
        (_options, _recorder, _tell, _clock) = (options, recorder, tell, clock);
        _listener = new TcpListener(options.Listen);
        _actions = new ActionQueue(clock) { Arrived = Inject };
    }

    /// <inheritdoc/>
    public SourceKind Kind => SourceKind.Proxy;

    /// <inheritdoc/>
    public bool CanWait => false;

    /// <inheritdoc/>
    public IActionTarget? Actions => _options.AllowActions ? _actions : null;

    /// <summary>Where the time of the frames went.</summary>
    public FrameTimes Times { get; } = new();

    /// <summary>Completes when the bot and its game have parted, which may be after the match is over.</summary>
    public Task Relayed => _relayed.Task;

    /// <summary>Messages that passed without being looked at, because looking was too slow.</summary>
    public long MessagesSkipped { get; private set; }

    /// <summary>Opens the port for bots; returns where.</summary>
    /// <exception cref="SocketException">It cannot be had.</exception>
    public IPEndPoint Listen()
    {
        _listener.Start();
        return (IPEndPoint)_listener.LocalEndpoint;
    }

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> RunAsync(FrameHub hub, CancellationToken cancellation)
    {
        _feed = new MatchFeed(hub, _recorder, _clock);
        var over = new TaskCompletionSource<SubscriptionEnd>(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = AcceptAsync(over);
        try
        {
            return await over.Task.WaitAsync(cancellation);
        }
        catch (OperationCanceledException)
        {
            _closing.Cancel();
            _relay?.Abort();
            return new SubscriptionEnd(SubscriptionEndReason.Stopping, "the daemon stops");
        }
        finally
        {
            _actions.Close();
        }
    }

    /// <inheritdoc/>
    public void Describe(Status status)
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
        if (_busy != 0) await _relayed.Task;
        _closing.Dispose();
    }

    private async Task AcceptAsync(TaskCompletionSource<SubscriptionEnd> over)
    {
        while (!_closing.IsCancellationRequested)
        {
            Socket bot;
            try
            {
                bot = await _listener.AcceptSocketAsync(_closing.Token);
            }
            catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException or SocketException)
            {
                break;
            }
            if (Interlocked.CompareExchange(ref _busy, 1, 0) != 0)
            {
                ProxyHandshake.Refuse(bot, "503 Service Unavailable", "A bot is connected already: a game has one client.");
                bot.Dispose();
                continue;
            }
            _ = ServeAsync(bot, over);
        }
    }

    /// <summary>Serves a connection. One that does not come to a match leaves the place to the next.</summary>
    private async Task ServeAsync(Socket bot, TaskCompletionSource<SubscriptionEnd> over)
    {
        var end = new SubscriptionEnd(SubscriptionEndReason.Stopping, "the daemon stops");
        try
        {
            end = await RelayAsync(bot, over);
        }
        catch (ProxyException e)
        {
            if (!e.IsQuiet) _tell(e.Message);
        }
        catch (Exception e)
        {
            over.TrySetException(e);
            _relayed.TrySetException(e);
        }
        finally
        {
            bot.Dispose();
        }
        if (_feed!.HasBegun || _closing.IsCancellationRequested)
        {
            over.TrySetResult(end);
            _relayed.TrySetResult();
        }
        else
        {
            Interlocked.Exchange(ref _busy, 0);
        }
    }

    private async Task<SubscriptionEnd> RelayAsync(Socket bot, TaskCompletionSource<SubscriptionEnd> over)
    {
        var handshake = new ProxyHandshake(_options, _clock);
        using var game = await Task.Factory.StartNew(
            () => handshake.Connect(bot, _closing.Token), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        var tap = new ProxyTap(_feed!, Times, _options.AllowActions, _clock);
        var relay = new ProxyRelay(bot, game, _clock) { Passed = tap.Add };
        tap.Ask = relay.Send;
        _relay = relay;
        if (_closing.IsCancellationRequested) relay.Abort();
        _ = tap.Over.ContinueWith(
            how => over.TrySetResult(new SubscriptionEnd(SubscriptionEndReason.MatchOver, how.Result)), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        Inject();
        var gameEnded = await relay.RunAsync(handshake.FromBot, handshake.FromGame);
        _relay = null;
        await tap.DisposeAsync();
        MessagesSkipped += tap.Skipped;
        return gameEnded
            ? new SubscriptionEnd(SubscriptionEndReason.SourceLost, "the game closed the connection in the middle of the match")
            : new SubscriptionEnd(SubscriptionEndReason.MatchOver, "the bot closed the connection");
    }

    /// <summary>Gives the game what agents want done, as soon as the bot is not in the middle of a message.</summary>
    private void Inject()
    {
        if (_relay is null || Interlocked.CompareExchange(ref _injecting, 1, 0) != 0) return;
        ThreadPool.UnsafeQueueUserWorkItem(static source => source.InjectWaiting(), this, preferLocal: false);
    }

    private void InjectWaiting()
    {
        while (_relay is { } relay && _feed is { HasBegun: true } feed && _actions.TryTake(feed.GameLoop, out var actions))
        {
            Times.Agent.Add(_clock.GetElapsedTime(feed.PublishedTimestamp));
            var request = actions.ToRequestAction();
            if (_recorder is not null) feed.RecordActions(request.ToByteArray());
            relay.Send(new Request { Action = request }, response => Answer(actions, response));
        }
        Interlocked.Exchange(ref _injecting, 0);
        // Something may have arrived between the last look and this moment.
        if (_feed is { HasBegun: true } && _actions.AnyWaiting) Inject();
    }

    private static void Answer(PendingActions actions, ReadOnlyMemory<byte>? response)
    {
        if (response is null)
        {
            actions.Fail(new GrpcException(GrpcStatusCode.Unavailable, "the game is gone"));
            return;
        }
        var answer = Response.Parser.ParseFrom(response.Value.Span);
        if (answer.Action is { } result) actions.Complete(result);
        else actions.Fail(new GrpcException(GrpcStatusCode.FailedPrecondition, $"the game refused the actions: {string.Join("; ", answer.Error)}"));
    }
}
