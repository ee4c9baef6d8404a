using Abathur.Sync.Hub;
using Abathur.Sync.Sources.Live;
using Abathur.Sync.Transports.Grpc;
using Google.Protobuf;
using Request = SC2APIProtocol.Request;
using Response = SC2APIProtocol.Response;

namespace Abathur.Sync.Sc2Api.Proxy;

/// <summary>
/// Gives the game what agents want done, between the bot's requests: the next when the one before is answered, so that a flood of agents' requests
/// costs the bot one of them at most.
/// </summary>
internal sealed class ProxyActions : IAsyncDisposable
{
    private readonly ActionQueue _queue;
    private readonly ProxyRelay _relay;
    private readonly MatchFeed _feed;
    private readonly FrameTimes _times;
    private readonly TimeProvider _clock;
    private readonly AsyncSignal _arrived;
    private readonly Task _giving;
    private volatile bool _ended;

    /// <param name="queue">What agents want done. What arrives before the match waits for it.</param>
    /// <param name="relay">The way to the game.</param>
    /// <param name="feed">Knows the newest game loop; records the actions.</param>
    /// <param name="times">Told how long agents took.</param>
    /// <param name="clock">Clock of stamps and timeouts.</param>
    public ProxyActions(ActionQueue queue, ProxyRelay relay, MatchFeed feed, FrameTimes times, TimeProvider clock)
    {
        (_queue, _relay, _feed, _times, _clock) = (queue, relay, feed, times, clock);
        _arrived = new AsyncSignal(clock);
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
            var answer = new TaskCompletionSource<byte[]?>(TaskCreationOptions.RunContinuationsAsynchronously);
            _relay.Send(new Request { Action = request }, response => answer.TrySetResult(response?.ToArray()));
            if (await answer.Task.WaitAsync(ActionQueue.AnswerTimeout, _clock) is not { } bytes)
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
}
