using Abathur.Grpc;
using Abathur.Sync.Drawing;
using Abathur.Sync.Hub;
using Abathur.Sync.Sources.Feed;
using Google.Protobuf;
using Request = SC2APIProtocol.Request;
using Response = SC2APIProtocol.Response;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Gives the game what agents want done and drawn, between the bot's requests: the next when the one before is answered, so that a flood of agents' requests
/// costs the bot one of them at most.
/// </summary>
internal sealed class ProxyActions : IAsyncDisposable
{
    private readonly ActionQueue _queue;
    private readonly ProxyRelay _relay;
    private readonly MatchFeed _feed;
    private readonly GameDrawing _drawing;
    private readonly FrameTimes _times;
    private readonly TimeProvider _clock;
    private readonly AsyncAutoResetEvent _arrived;
    private readonly Task _giving;
    private volatile bool _ended;

    /// <param name="queue">What agents want done. What arrives before the match waits for it.</param>
    /// <param name="relay">The way to the game.</param>
    /// <param name="feed">Knows the newest game loop; records the actions.</param>
    /// <param name="drawing">What agents want drawn.</param>
    /// <param name="times">Told how long agents took.</param>
    /// <param name="clock">Clock of stamps and timeouts.</param>
    public ProxyActions(ActionQueue queue, ProxyRelay relay, MatchFeed feed, GameDrawing drawing, FrameTimes times, TimeProvider clock)
    {
        (_queue, _relay, _feed, _drawing, _times, _clock) = (queue, relay, feed, drawing, times, clock);
        _arrived = new AsyncAutoResetEvent(clock);
        _giving = Task.Run(RunAsync);
    }

    /// <summary>Something waits, or may be given now. Does not block.</summary>
    public void Wake() => _arrived.Set();

    /// <summary>No more is given.</summary>
    public async ValueTask DisposeAsync()
    {
        _ended = true;
        _arrived.Set();
        await _giving;
        _arrived.Dispose();
    }

    private async Task RunAsync()
    {
        while (!_ended)
        {
            while (!_ended && _feed.HasBegun && _queue.TryTake(_feed.GameLoop, out var actions)) await GiveAsync(actions);
            while (!_ended && _feed.HasBegun && _drawing.TakeRequest() is { } request) await DrawAsync(request);
            if (!_ended) await _arrived.WaitAsync();
        }
    }

    private async Task GiveAsync(PendingActions actions)
    {
        try
        {
            _times.Agent.Add(_clock.GetElapsedTime(_feed.PublishedTimestamp));
            var request = actions.ToRequestAction();
            _feed.RecordActions(request.ToByteArray());
            if (await AskAsync(new Request { Action = request }) is not { } bytes)
            {
                actions.Fail(new GrpcException(GrpcStatusCode.Unavailable, "the game is gone"));
                return;
            }
            var response = Response.Parser.ParseFrom(bytes);
            if (response.Action is { } result) actions.Complete(result);
            else actions.Fail(new GrpcException(GrpcStatusCode.FailedPrecondition, $"the game refused the actions: {string.Join("; ", response.Error)}"));
        }
        catch (TimeoutException)
        {
            actions.Fail(new GrpcException(GrpcStatusCode.DeadlineExceeded, $"the game did not answer within {ActionQueue.AnswerTimeout.TotalSeconds:0} s"));
        }
        catch (Exception e)
        {
            // The agent is told; whatever it is, it is not the bot's to bear.
            actions.Fail(new GrpcException(GrpcStatusCode.Unavailable, $"the game's answer cannot be read: {e.Message}"));
        }
    }

    private async Task DrawAsync(Request request)
    {
        try
        {
            // The answer says nothing; it is waited for so that a flood of drawings is not one of requests.
            await AskAsync(request);
        }
        catch (TimeoutException)
        {
            // A game that does not draw plays on all the same.
        }
    }

    /// <summary>The game's serialized <c>Response</c>; null where it is gone.</summary>
    private Task<byte[]?> AskAsync(Request request)
    {
        var answer = new TaskCompletionSource<byte[]?>(TaskCreationOptions.RunContinuationsAsynchronously);
        _relay.Send(request, response => answer.TrySetResult(response?.ToArray()));
        return answer.Task.WaitAsync(ActionQueue.AnswerTimeout, _clock);
    }
}
