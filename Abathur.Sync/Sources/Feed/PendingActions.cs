using Abathur.Grpc;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Feed;

/// <summary>Actions that an agent waits for. Whoever took them from the <see cref="ActionQueue"/> completes them.</summary>
public sealed class PendingActions
{
    private readonly TaskCompletionSource<ActResult> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ActionQueue _queue;
    private uint _gameLoop;
    private uint _late;

    internal PendingActions(ActionQueue queue, ActRequest request)
    {
        (_queue, Request) = (queue, request);
        // Who waits may have gone when it fails.
        _answer.Task.ContinueWith(static task => _ = task.Exception, TaskContinuationOptions.OnlyOnFaulted);
    }

    /// <summary>As the agent sent it.</summary>
    public ActRequest Request { get; }

    internal Task<ActResult> Answer => _answer.Task;

    internal bool IsGivenUp { get; private set; }

    /// <summary>What the game is asked. Made once an agent's actions are taken.</summary>
    public RequestAction ToRequestAction()
    {
        var request = new RequestAction();
        request.Actions.AddRange(Request.Actions);
        return request;
    }

    /// <summary>The game has answered.</summary>
    public void Complete(ResponseAction response)
    {
        _queue.CountFailed(response.Result.Count(each => each != SC2APIProtocol.ActionResult.Success));
        _answer.TrySetResult(new ActResult { Response = response, GameLoop = _gameLoop, LateGameLoops = _late });
    }

    /// <summary>The game has refused the request, or is gone.</summary>
    public void Fail(GrpcException error) => _answer.TrySetException(error);

    internal void Take(uint gameLoop, uint late) => (_gameLoop, _late) = (gameLoop, late);

    internal void GiveUp() => IsGivenUp = true;
}
