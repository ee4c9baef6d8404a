using Abathur.Sync.Requests;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Feed;

/// <summary>Actions for which an agent waits. The task that takes them from the <see cref="ActionQueue"/> completes them.</summary>
public sealed class PendingActions
{
    private readonly TaskCompletionSource<ActResult> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ActionQueue _queue;
    private uint _gameLoop;
    private uint _late;

    internal PendingActions(ActionQueue queue, ActRequest request)
    {
        (_queue, Request) = (queue, request);
        // The agent may have disconnected before it fails.
        _answer.Task.ContinueWith(static task => _ = task.Exception, TaskContinuationOptions.OnlyOnFaulted);
    }

    /// <summary>The request of the agent.</summary>
    public ActRequest Request { get; }

    internal Task<ActResult> Answer => _answer.Task;

    internal bool IsGivenUp { get; private set; }

    /// <summary>The request for the game. Created when the actions are taken.</summary>
    public RequestAction ToRequestAction()
    {
        var request = new RequestAction();
        request.Actions.AddRange(Request.Actions);
        return request;
    }

    /// <summary>Completes the actions with the answer of the game.</summary>
    public void Complete(ResponseAction response)
    {
        _queue.CountFailed(response.Result.Count(each => each != SC2APIProtocol.ActionResult.Success));
        _answer.TrySetResult(new ActResult { Response = response, GameLoop = _gameLoop, LateGameLoops = _late });
    }

    /// <summary>Fails the actions because the game has refused the request or has disconnected.</summary>
    public void Fail(RefusedException error) => _answer.TrySetException(error);

    internal void Take(uint gameLoop, uint late) => (_gameLoop, _late) = (gameLoop, late);

    internal void GiveUp() => IsGivenUp = true;
}
