using Abathur.Protobuf;
using Abathur.Sc2;
using Abathur.Sc2.Api;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Drawing;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Requests;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;
using Request = SC2APIProtocol.Request;
using Response = SC2APIProtocol.Response;
using Status = Abathur.Sync.V1.Status;

namespace Abathur.Sync.Sources.Live;

/// <summary>One match of which the daemon is the game's client: publishes each observation, and sends agents' actions to the
/// game.</summary>
internal sealed class LiveMatch : IDisposable
{
    private const int FirstResponseBytes = 64 * 1024;

    /// <summary>How long before its game loop an observation is requested, in real time.</summary>
    private static readonly TimeSpan AskAhead = TimeSpan.FromMilliseconds(5);

    private static readonly SubscriptionEnd NextGame = new(SubscriptionEndReason.MatchOver, "the next game was asked for");

    private readonly GameClient _game;
    private readonly LiveOptions _options;
    private readonly TimeProvider _clock;
    private readonly MatchFeed _feed;
    private readonly ActionQueue _actions;
    private readonly QueryQueue _queries;
    private readonly AsyncAutoResetEvent _wake;
    private readonly TaskCompletionSource _left = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task? _publishing;
    private GameDrawing? _drawing;
    private uint? _lastGameLoop;
    private TimeSpan _gameTime;
    private TimeSpan _ownTime;

    /// <param name="game">Connection to the game.</param>
    /// <param name="options">The game to play or watch.</param>
    /// <param name="sink">Where it is published.</param>
    /// <param name="abilities">What can be done with the source.</param>
    /// <param name="recordings">Records it; null: it is not recorded.</param>
    /// <param name="ended">Called when it is over and its recording, if it has one, is complete.</param>
    /// <param name="clock">Clock of all times.</param>
    public LiveMatch(
        GameClient game, LiveOptions options, IMatchSink sink, MatchAbilities abilities, MatchRecordings? recordings,
        MatchEndHandler? ended, TimeProvider clock)
    {
        (_game, _options, _clock) = (game, options, clock);
        _wake = new AsyncAutoResetEvent(clock);
        _actions = new ActionQueue(clock) { Arrived = _wake.Set };
        _queries = new QueryQueue(() => _feed!.GameLoop, clock) { Arrived = _wake.Set };
        Times = new FrameTimes { Query = _queries.Times };
        _feed = new MatchFeed(sink, recordings, clock)
        {
            Abilities = abilities with { Actions = TakesActions ? _actions : null, Queries = _queries, Describe = Describe },
            WaitsForRecorder = !options.Realtime,
            Offered = WakeToLeave,
            Ended = (end, recorder) => ended?.Invoke(end, Times, recorder),
        };
    }

    /// <summary>How the time of frames was spent.</summary>
    public FrameTimes Times { get; }

    private bool TakesActions => _options.TakesActions;

    /// <summary>Plays it. Returns why it ended.</summary>
    /// <param name="isLast">Whether no other follows.</param>
    /// <param name="cancellationToken">Fires when the daemon shuts down.</param>
    /// <exception cref="GameException">The game has not begun.</exception>
    public async Task<SubscriptionEnd> PlayAsync(bool isLast, CancellationToken cancellationToken)
    {
        await using var stopping = cancellationToken.Register(_wake.Set);
        SubscriptionEnd? end = null;
        try
        {
            await BeginAsync(cancellationToken);
            if (TakesActions)
                _drawing = new GameDrawing(_feed.Run.Drawings) { TerrainHeight = _feed.Run.Match!.GameInfo?.StartRaw?.TerrainHeight };
            // After the match is set, because an agent may read it before it subscribes.
            end = await WaitForAgentsAsync(cancellationToken) ? await PublishAsync(cancellationToken) : NextGame;
        }
        catch (Exception e) when (e is OperationCanceledException || (e is GameException && cancellationToken.IsCancellationRequested))
        {
            // Ctrl-C in a terminal also ends a game that was started there.
            end = new SubscriptionEnd(SubscriptionEndReason.Stopping, "the daemon is shutting down");
        }
        catch (GameException e) when (_feed.HasBegun)
        {
            end = new SubscriptionEnd(SubscriptionEndReason.SourceLost, e.Message);
        }
        finally
        {
            _actions.Close();
            _queries.Close();
            _feed.End(end, isLast || end is not { Reason: SubscriptionEndReason.MatchOver }, _publishing);
            // Its readers have ended.
            if (_publishing is not null) await _publishing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        return end;
    }

    /// <summary>Ends it for the next game, without waiting for readers. Thread-safe until it is disposed.</summary>
    public void Leave()
    {
        _left.TrySetResult();
        _wake.Set();
    }

    /// <inheritdoc/>
    public void Dispose() => _wake.Dispose();

    private bool IsLeft => _left.Task.IsCompleted;

    private void WakeToLeave()
    {
        if (IsLeft) _wake.Set();
    }

    /// <summary>Waits for as many agents as are wanted. False: the next game was asked for.</summary>
    private async Task<bool> WaitForAgentsAsync(CancellationToken cancellationToken)
    {
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var enough = _feed.Run.Hub.WaitForSubscribersAsync(count => count >= _options.WaitForAgents, waiting.Token);
        if (await Task.WhenAny(enough, _left.Task) == enough)
        {
            await enough;
            return true;
        }
        await waiting.CancelAsync();
        await enough.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return false;
    }

    private void Describe(Status status)
    {
        if (TakesActions) status.Actions = _actions.Status;
        status.FrameBudget = Times.ToBudget();
    }

    private async Task BeginAsync(CancellationToken cancellationToken)
    {
        var ping = (await _game.SendAsync(new Request { Ping = new RequestPing() }, cancellationToken)).Ping;
        var player = await new GameSetup(_game, _options).StartAsync(cancellationToken);
        var match = new Match
        {
            MatchId = await GameSetup.ReplayIdAsync(_options.Replay, cancellationToken),
            Source = SourceKind.Live,
            PlayerId = player,
            GameVersion = ping?.GameVersion ?? "",
            ActionsAllowed = TakesActions,
        };
        var gameInfo = await AskForBodyAsync(new Request { GameInfo = new RequestGameInfo() }, cancellationToken);
        var gameData = await AskForBodyAsync(GameRequests.Data, cancellationToken);
        try
        {
            _feed.Begin(match, gameInfo, gameData);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new GameException($"the game's info or data cannot be read: {e.Message}", e);
        }
    }

    private async Task<SubscriptionEnd> PublishAsync(CancellationToken cancellationToken)
    {
        while (!IsLeft)
        {
            var gameBefore = _gameTime;
            var (publishing, ended) = await ObserveAsync(cancellationToken);
            var observed = _clock.GetTimestamp();
            await ActUntilAsync(publishing, cancellationToken);
            try
            {
                if (IsLeft && !publishing.IsCompleted && !cancellationToken.IsCancellationRequested) _publishing = publishing;
                else await publishing;
            }
            catch (InvalidDataException e)
            {
                throw new GameException($"the game's observation cannot be read: {e.Message}", e);
            }
            if (_feed.Results.Count > 0) return new(SubscriptionEndReason.MatchOver, _feed.Outcome);
            if (ended) return new(SubscriptionEndReason.MatchOver, "the game has ended");
            if (IsLeft) break;
            await ActAsync(cancellationToken);
            var waited = _options.Realtime ? TimeSpan.Zero : _clock.GetElapsedTime(observed);
            if (_options.Realtime) await ActUntilNextLoopAsync(observed, cancellationToken);
            else await StepAsync(cancellationToken);
            Times.AddFrame(_gameTime - gameBefore, waited, _ownTime);
        }
        return NextGame;
    }

    private async Task StepAsync(CancellationToken cancellationToken)
    {
        var asked = _clock.GetTimestamp();
        await _game.SendAsync(new Request { Step = new RequestStep { Count = _options.Step } }, cancellationToken);
        _gameTime += _clock.GetElapsedTime(asked);
        _feed.RecordStep(_options.Step);
    }

    /// <summary>Requests an observation and starts to publish it. Also returns whether the game has ended.</summary>
    private async Task<(Task Publishing, bool Ended)> ObserveAsync(CancellationToken cancellationToken)
    {
        var observe = new RequestObservation();
        if (_options.Realtime && _lastGameLoop is { } last) observe.GameLoop = last + 1;
        var asked = _clock.GetTimestamp();
        var response = await AskAsync(new Request { Observation = observe }, cancellationToken);
        var answered = _clock.GetTimestamp();
        _gameTime += _clock.GetElapsedTime(asked, answered);
        var captured = FrameStamp.Now(_clock);
        ResponseWire wire;
        try
        {
            wire = ResponseWire.Read(response.Span);
        }
        catch (InvalidDataException e)
        {
            response.Release();
            throw new GameException($"the game's answer is not a Response: {e.Message}", e);
        }
        if (wire.Kind != Response.ObservationFieldNumber)
        {
            var errors = Errors(response);
            response.Release();
            if (wire.Status == SC2APIProtocol.Status.Ended) return (Task.CompletedTask, true);
            throw new GameException($"the game gives no observation: {errors}");
        }
        var (offset, length) = wire.Body.GetOffsetAndLength(response.Span.Length);
        response.Narrow(offset, length);
        var publishing = _feed.PublishAsync(response, captured).AsTask();
        Times.Observe(_feed.GameLoop, _options.Realtime ? 1 : _options.Step);
        _lastGameLoop = _feed.GameLoop;
        _ownTime = _clock.GetElapsedTime(answered);
        return (publishing, wire.Status == SC2APIProtocol.Status.Ended);
    }

    /// <summary>Sends the pending actions, queries and drawings of agents to the game.</summary>
    private async Task ActAsync(CancellationToken cancellationToken)
    {
        if (_drawing?.TakeRequest() is { } drawing) await DrawAsync(drawing, cancellationToken);
        while (_actions.TryTake(_feed.GameLoop, out var actions))
        {
            Times.Agent.Add(_clock.GetElapsedTime(_feed.PublishedTimestamp));
            var request = actions.ToRequestAction();
            _feed.RecordActions(request.ToByteArray());
            try
            {
                var answer = await _game.SendAsync(new Request { Action = request }, cancellationToken);
                actions.Complete(answer.Action ?? new ResponseAction());
            }
            catch (GameException e)
            {
                actions.Fail(new RefusedException(RequestStatus.FailedPrecondition, e.Message));
                // In real time a game may be over before its next observation shows that.
                if (!e.IsRefusal) throw;
            }
        }
        while (_queries.TryTake(out var query))
        {
            var asked = _clock.GetTimestamp();
            try
            {
                var answer = await _game.SendAsync(new Request { Query = query.Query }, cancellationToken);
                query.Complete(answer.Query ?? new ResponseQuery(), _feed.GameLoop, _clock.GetElapsedTime(asked));
            }
            catch (GameException e)
            {
                query.Fail(new RefusedException(RequestStatus.FailedPrecondition, e.Message), _clock.GetElapsedTime(asked));
                if (!e.IsRefusal) throw;
            }
        }
    }

    private async Task DrawAsync(Request drawing, CancellationToken cancellationToken)
    {
        try
        {
            await _game.SendAsync(drawing, cancellationToken);
        }
        catch (GameException e) when (e.IsRefusal)
        {
            // Some games do not allow debug requests: then drawings are shown only on the dashboard.
            _drawing = null;
        }
    }

    /// <summary>Waits for lossless and lockstep readers, and meanwhile sends their actions. Returns before, when the next game was asked
    /// for.</summary>
    private async Task ActUntilAsync(Task published, CancellationToken cancellationToken)
    {
        if (published.IsCompleted) return;
        _ = published.ContinueWith(
            static (_, wake) =>
                ((AsyncAutoResetEvent)wake!).Set(), _wake, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        while (!published.IsCompleted && !cancellationToken.IsCancellationRequested && !(IsLeft && _feed.IsOffered))
        {
            await ActAsync(cancellationToken);
            await _wake.WaitAsync();
        }
    }

    /// <summary>In real time the game answers nothing else while it waits for a requested loop. Until shortly before that loop, this sends
    /// agents' actions.</summary>
    private async Task ActUntilNextLoopAsync(long published, CancellationToken cancellationToken)
    {
        var due = TimeSpan.FromSeconds(1 / GameTime.LoopsPerSecond) - AskAhead;
        while (due - _clock.GetElapsedTime(published) is var left
            && left >= TimeSpan.FromMilliseconds(1)
            && !cancellationToken.IsCancellationRequested)
        {
            await ActAsync(cancellationToken);
            await _wake.WaitAsync(left);
        }
        await ActAsync(cancellationToken);
    }

    private async Task<byte[]> AskForBodyAsync(Request request, CancellationToken cancellationToken)
    {
        var response = await AskAsync(request, cancellationToken);
        try
        {
            var wire = ResponseWire.Read(response.Span);
            if (wire is { Kind: 0, HasError: true })
                throw new GameException($"the game refuses {request.RequestCase}: {Errors(response)}") { IsRefusal = true };
            return response.Span[wire.Body].ToArray();
        }
        catch (InvalidDataException e)
        {
            throw new GameException($"the game's answer is not a Response: {e.Message}", e);
        }
        finally
        {
            response.Release();
        }
    }

    /// <summary>Sends a request; the caller releases the serialized <c>Response</c>.</summary>
    private async Task<SharedBuffer> AskAsync(Request request, CancellationToken cancellationToken)
    {
        var response = SharedBuffer.Rent(FirstResponseBytes);
        try
        {
            await _game.SendAsync(request, response, cancellationToken);
            return response;
        }
        catch
        {
            response.Release();
            throw;
        }
    }

    private static string Errors(SharedBuffer response)
    {
        try
        {
            return string.Join("; ", LenientParser.Parse<Response>(response.Span).Error);
        }
        catch (InvalidProtocolBufferException e)
        {
            return e.Message;
        }
    }
}
