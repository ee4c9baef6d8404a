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

/// <summary>
/// The daemon is the game's client: it starts or joins a game, publishes each observation, and sends agents' actions to the game. A stepped
/// game waits for lossless and lockstep readers; a game in real time does not wait.
/// </summary>
/// <param name="game">Connection to the game; the caller disposes it.</param>
/// <param name="options">The game to play or watch.</param>
/// <param name="recorder">Records the match; null: it is not recorded. The caller disposes it.</param>
/// <param name="clock">Clock of all times.</param>
public sealed class LiveSource(
    GameClient game, LiveOptions options, MatchRecorder? recorder, TimeProvider clock) : IMatchSource, IDisposable
{
    private const int FirstResponseBytes = 64 * 1024;
    private static readonly TimeSpan LeaveTimeout = TimeSpan.FromSeconds(5);

    /// <summary>How long before its game loop an observation is requested, in real time.</summary>
    private static readonly TimeSpan AskAhead = TimeSpan.FromMilliseconds(5);

    private readonly ActionQueue _actions = new(clock);
    private readonly AsyncAutoResetEvent _wake = new(clock);
    private QueryQueue? _queries;
    private GameDrawing? _drawing;
    private uint? _lastGameLoop;
    private TimeSpan _gameTime;
    private TimeSpan _ownTime;

    /// <inheritdoc/>
    public MatchAbilities Abilities => new()
    {
        Kind = SourceKind.Live,
        CanWait = !options.Realtime,
        Actions = TakesActions ? _actions : null,
        Queries = _queries,
        Describe = Describe,
    };

    private bool TakesActions => options is { AllowActions: true, Replay: null, ObservedPlayerId: null };

    /// <summary>How the time of frames was spent.</summary>
    public FrameTimes Times { get; private set; } = new();

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellation)
    {
        var run = sink.Current;
        var feed = new MatchFeed(run, recorder, clock) { WaitsForRecorder = !options.Realtime };
        _queries = new QueryQueue(() => feed.GameLoop, clock) { Arrived = _wake.Set };
        run.Abilities = Abilities;
        Times = new FrameTimes { Query = _queries.Times };
        _actions.Arrived = _wake.Set;
        await using var stopping = cancellation.Register(_wake.Set);
        try
        {
            await BeginAsync(feed, cancellation);
            if (TakesActions)
                _drawing = new GameDrawing(run.Drawings) { TerrainHeight = run.Match!.GameInfo?.StartRaw?.TerrainHeight };
            // After the match is set, because an agent may read it before it subscribes.
            await run.Hub.WaitForSubscribersAsync(count => count >= options.WaitForAgents, cancellation);
            return await PlayAsync(feed, cancellation);
        }
        catch (Exception e) when (e is OperationCanceledException || (e is GameException && cancellation.IsCancellationRequested))
        {
            // Ctrl-C in a terminal also ends a game that was started there.
            return new SubscriptionEnd(SubscriptionEndReason.Stopping, "the daemon is shutting down");
        }
        catch (GameException e) when (feed.HasBegun)
        {
            return new SubscriptionEnd(SubscriptionEndReason.SourceLost, e.Message);
        }
        finally
        {
            _actions.Close();
            _queries.Close();
            feed.End();
            await LeaveAsync();
        }
    }

    private void Describe(Status status)
    {
        if (TakesActions) status.Actions = _actions.Status;
        status.Recording = recorder?.Status;
        status.FrameBudget = Times.ToBudget();
    }

    /// <inheritdoc/>
    public void Dispose() => _wake.Dispose();

    private async Task BeginAsync(MatchFeed feed, CancellationToken cancellation)
    {
        var ping = (await game.SendAsync(new Request { Ping = new RequestPing() }, cancellation)).Ping;
        var player = await new GameSetup(game, options).StartAsync(cancellation);
        var match = new Match
        {
            MatchId = await GameSetup.ReplayIdAsync(options.Replay, cancellation),
            Source = SourceKind.Live,
            PlayerId = player,
            GameVersion = ping?.GameVersion ?? "",
            ActionsAllowed = TakesActions,
        };
        var gameInfo = await AskForBodyAsync(new Request { GameInfo = new RequestGameInfo() }, cancellation);
        var gameData = await AskForBodyAsync(GameRequests.Data, cancellation);
        try
        {
            feed.Begin(match, gameInfo, gameData);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new GameException($"the game's info or data cannot be read: {e.Message}", e);
        }
    }

    private async Task<SubscriptionEnd> PlayAsync(MatchFeed feed, CancellationToken cancellation)
    {
        while (true)
        {
            var gameBefore = _gameTime;
            var (publishing, ended) = await ObserveAsync(feed, cancellation);
            var observed = clock.GetTimestamp();
            await ActUntilAsync(publishing, feed, cancellation);
            try
            {
                await publishing;
            }
            catch (InvalidDataException e)
            {
                throw new GameException($"the game's observation cannot be read: {e.Message}", e);
            }
            if (feed.Results.Count > 0) return new(SubscriptionEndReason.MatchOver, feed.Outcome);
            if (ended) return new(SubscriptionEndReason.MatchOver, "the game has ended");
            await ActAsync(feed, cancellation);
            var waited = options.Realtime ? TimeSpan.Zero : clock.GetElapsedTime(observed);
            if (options.Realtime) await ActUntilNextLoopAsync(feed, observed, cancellation);
            else await StepAsync(feed, cancellation);
            Times.AddFrame(_gameTime - gameBefore, waited, _ownTime);
        }
    }

    private async Task StepAsync(MatchFeed feed, CancellationToken cancellation)
    {
        var asked = clock.GetTimestamp();
        await game.SendAsync(new Request { Step = new RequestStep { Count = options.Step } }, cancellation);
        _gameTime += clock.GetElapsedTime(asked);
        feed.RecordStep(options.Step);
    }

    /// <summary>Requests an observation and starts to publish it. Also returns whether the game has ended.</summary>
    private async Task<(Task Publishing, bool Ended)> ObserveAsync(MatchFeed feed, CancellationToken cancellation)
    {
        var observe = new RequestObservation();
        if (options.Realtime && _lastGameLoop is { } last) observe.GameLoop = last + 1;
        var asked = clock.GetTimestamp();
        var response = await AskAsync(new Request { Observation = observe }, cancellation);
        var answered = clock.GetTimestamp();
        _gameTime += clock.GetElapsedTime(asked, answered);
        var captured = FrameStamp.Now(clock);
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
        var publishing = feed.PublishAsync(response, captured).AsTask();
        Times.Observe(feed.GameLoop, options.Realtime ? 1 : options.Step);
        _lastGameLoop = feed.GameLoop;
        _ownTime = clock.GetElapsedTime(answered);
        return (publishing, wire.Status == SC2APIProtocol.Status.Ended);
    }

    /// <summary>Sends the pending actions, queries and drawings of agents to the game.</summary>
    private async Task ActAsync(MatchFeed feed, CancellationToken cancellation)
    {
        if (_drawing?.TakeRequest() is { } drawing) await DrawAsync(drawing, cancellation);
        while (_actions.TryTake(feed.GameLoop, out var actions))
        {
            Times.Agent.Add(clock.GetElapsedTime(feed.PublishedTimestamp));
            var request = actions.ToRequestAction();
            feed.RecordActions(request.ToByteArray());
            try
            {
                var answer = await game.SendAsync(new Request { Action = request }, cancellation);
                actions.Complete(answer.Action ?? new ResponseAction());
            }
            catch (GameException e)
            {
                actions.Fail(new RefusedException(RequestStatus.FailedPrecondition, e.Message));
                // In real time a game may be over before its next observation shows that.
                if (!e.IsRefusal) throw;
            }
        }
        while (_queries!.TryTake(out var query))
        {
            var asked = clock.GetTimestamp();
            try
            {
                var answer = await game.SendAsync(new Request { Query = query.Query }, cancellation);
                query.Complete(answer.Query ?? new ResponseQuery(), feed.GameLoop, clock.GetElapsedTime(asked));
            }
            catch (GameException e)
            {
                query.Fail(new RefusedException(RequestStatus.FailedPrecondition, e.Message), clock.GetElapsedTime(asked));
                if (!e.IsRefusal) throw;
            }
        }
    }

    private async Task DrawAsync(Request drawing, CancellationToken cancellation)
    {
        try
        {
            await game.SendAsync(drawing, cancellation);
        }
        catch (GameException e) when (e.IsRefusal)
        {
            // Some games do not allow debug requests: then drawings are shown only on the dashboard.
            _drawing = null;
        }
    }

    /// <summary>Waits for lossless and lockstep readers, and meanwhile sends their actions.</summary>
    private async Task ActUntilAsync(Task published, MatchFeed feed, CancellationToken cancellation)
    {
        if (published.IsCompleted) return;
        _ = published.ContinueWith(
            static (_, wake) =>
                ((AsyncAutoResetEvent)wake!).Set(), _wake, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        while (!published.IsCompleted && !cancellation.IsCancellationRequested)
        {
            await ActAsync(feed, cancellation);
            await _wake.WaitAsync();
        }
    }

    /// <summary>In real time the game answers nothing else while it waits for a requested loop. Until shortly before that loop, this sends
    /// agents' actions.</summary>
    private async Task ActUntilNextLoopAsync(MatchFeed feed, long published, CancellationToken cancellation)
    {
        var due = TimeSpan.FromSeconds(1 / GameTime.LoopsPerSecond) - AskAhead;
        while (due - clock.GetElapsedTime(published) is var left
            && left >= TimeSpan.FromMilliseconds(1)
            && !cancellation.IsCancellationRequested)
        {
            await ActAsync(feed, cancellation);
            await _wake.WaitAsync(left);
        }
        await ActAsync(feed, cancellation);
    }

    private async Task<byte[]> AskForBodyAsync(Request request, CancellationToken cancellation)
    {
        var response = await AskAsync(request, cancellation);
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
    private async Task<SharedBuffer> AskAsync(Request request, CancellationToken cancellation)
    {
        var response = SharedBuffer.Rent(FirstResponseBytes);
        try
        {
            await game.SendAsync(request, response, cancellation);
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

    private async Task LeaveAsync()
    {
        using var timeout = new CancellationTokenSource(LeaveTimeout, clock);
        try
        {
            var request = options.QuitAfterwards
                ? new Request { Quit = new RequestQuit() }
                : new Request { LeaveGame = new RequestLeaveGame() };
            await game.SendAsync(request, timeout.Token);
        }
        catch (Exception e) when (e is GameException or OperationCanceledException)
        {
            // The game has already disconnected.
        }
    }
}
