using Abathur.Protobuf;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches.Drawing;
using Abathur.Sync.Requests;
using Abathur.Sync.Sources.Feed;
using Google.Protobuf;
using Request = SC2APIProtocol.Request;
using Response = SC2APIProtocol.Response;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Sends actions, queries and drawings of agents to the game, between the bot's requests: each one after the previous one is answered, so
/// that the bot waits for at most one of them.
/// </summary>
internal sealed class ProxyActions : IAsyncDisposable
{
    private readonly ProxyMatch _match;
    private readonly ProxyRelay _relay;
    private readonly MatchFeed _feed;
    private readonly DrawingBoard _board;
    private readonly GameDrawing _drawing;
    private readonly bool _draws;
    private readonly TimeProvider _clock;
    private readonly AsyncAutoResetEvent _arrived;
    private readonly Task _giving;
    private volatile bool _ended;

    /// <param name="match">The match, which has begun.</param>
    /// <param name="relay">The connection to the game.</param>
    /// <param name="draws">Whether drawings are shown in the game.</param>
    /// <param name="clock">Clock of stamps and timeouts.</param>
    public ProxyActions(ProxyMatch match, ProxyRelay relay, bool draws, TimeProvider clock)
    {
        (_match, _relay, _feed, _draws, _clock) = (match, relay, match.Feed, draws, clock);
        var run = match.Feed.Run;
        _board = run.Drawings;
        _drawing = new GameDrawing(_board) { TerrainHeight = run.Match!.GameInfo?.StartRaw?.TerrainHeight };
        _arrived = new AsyncAutoResetEvent(clock);
        _giving = Task.Run(RunAsync);
        match.Actions.Arrived = match.Queries.Arrived = Wake;
        if (draws) _board.Changed += Wake;
        // What arrived since the match has begun.
        Wake();
    }

    /// <summary>The bot has drawn in the game.</summary>
    public void BotDrew(SC2APIProtocol.RequestDebug request)
    {
        if (!_draws) return;
        _drawing.BotDrew(request);
        Wake();
    }

    /// <summary>Starts to send what is queued. Does not block.</summary>
    public void Wake() => _arrived.Set();

    /// <summary>Stops sending.</summary>
    public async ValueTask DisposeAsync()
    {
        _ended = true;
        _match.Actions.Arrived = _match.Queries.Arrived = null;
        _board.Changed -= Wake;
        _arrived.Set();
        await _giving;
        _arrived.Dispose();
    }

    private async Task RunAsync()
    {
        while (!_ended)
        {
            while (!_ended && _match.Actions.TryTake(_feed.GameLoop, out var actions)) await GiveAsync(actions);
            while (!_ended && _match.Queries.TryTake(out var query)) await QueryAsync(query);
            while (_draws && !_ended && _drawing.TakeRequest() is { } request) await DrawAsync(request);
            if (!_ended) await _arrived.WaitAsync();
        }
    }

    private async Task GiveAsync(PendingActions actions)
    {
        try
        {
            _match.Times.Agent.Add(_clock.GetElapsedTime(_feed.PublishedTimestamp));
            var request = actions.ToRequestAction();
            _feed.RecordActions(request.ToByteArray());
            if (await AskAsync(new Request { Action = request }) is not { } bytes)
            {
                actions.Fail(new RefusedException(RequestStatus.Unavailable, "the game has disconnected"));
                return;
            }
            var response = LenientParser.Parse<Response>(bytes);
            if (response.Action is { } result) actions.Complete(result);
            else actions.Fail(new RefusedException(
                RequestStatus.FailedPrecondition, $"the game refused the actions: {string.Join("; ", response.Error)}"));
        }
        catch (TimeoutException)
        {
            actions.Fail(new RefusedException(
                RequestStatus.DeadlineExceeded, $"the game did not answer within {ActionQueue.AnswerTimeout.TotalSeconds:0} s"));
        }
        catch (Exception e)
        {
            // The agent gets the error. It must not affect the bot.
            actions.Fail(new RefusedException(RequestStatus.Unavailable, $"the game's answer cannot be read: {e.Message}"));
        }
    }

    private async Task QueryAsync(PendingQuery query)
    {
        var asked = _clock.GetTimestamp();
        try
        {
            var bytes = await AskAsync(new Request { Query = query.Query });
            var took = _clock.GetElapsedTime(asked);
            if (bytes is null)
            {
                query.Fail(new RefusedException(RequestStatus.Unavailable, "the game has disconnected"), took);
                return;
            }
            var response = LenientParser.Parse<Response>(bytes);
            if (response.Query is { } answer) query.Complete(answer, _feed.GameLoop, took);
            else query.Fail(
                new RefusedException(RequestStatus.FailedPrecondition, $"the game refused the query: {string.Join("; ", response.Error)}"),
                took);
        }
        catch (Exception e) when (e is TimeoutException or InvalidProtocolBufferException)
        {
            // The agent gets the error. It must not affect the bot.
            query.Fail(
                new RefusedException(RequestStatus.Unavailable, $"the game's answer did not arrive or cannot be read: {e.Message}"),
                _clock.GetElapsedTime(asked));
        }
    }

    private async Task DrawAsync(Request request)
    {
        try
        {
            // The answer has no content. Waiting for it limits the rate of requests.
            await AskAsync(request);
        }
        catch (TimeoutException)
        {
            // The match continues even if the game does not draw.
        }
    }

    /// <summary>The game's serialized <c>Response</c>; null if the game has disconnected.</summary>
    private Task<byte[]?> AskAsync(Request request)
    {
        var answer = new TaskCompletionSource<byte[]?>(TaskCreationOptions.RunContinuationsAsynchronously);
        _relay.Send(request, response => answer.TrySetResult(response?.ToArray()));
        return answer.Task.WaitAsync(ActionQueue.AnswerTimeout, _clock);
    }
}
