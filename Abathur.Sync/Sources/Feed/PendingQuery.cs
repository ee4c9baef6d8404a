using Abathur.Sync.Requests;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Feed;

/// <summary>A query for which an agent waits. The task that takes it from the <see cref="QueryQueue"/> completes it.</summary>
public sealed class PendingQuery
{
    private readonly TaskCompletionSource<QueryResult> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly QueryQueue _queue;

    internal PendingQuery(QueryQueue queue, RequestQuery query)
    {
        (_queue, Query) = (queue, query);
        // The agent may have disconnected before it fails.
        _answer.Task.ContinueWith(static task => _ = task.Exception, TaskContinuationOptions.OnlyOnFaulted);
    }

    /// <summary>The query for the game.</summary>
    public RequestQuery Query { get; }

    internal Task<QueryResult> Answer => _answer.Task;

    internal bool IsGivenUp { get; set; }

    /// <summary>Completes the query with the answer of the game.</summary>
    /// <param name="response">The answer.</param>
    /// <param name="gameLoop">Game loop of the newest observation.</param>
    /// <param name="took">How long the game took.</param>
    public void Complete(ResponseQuery response, uint gameLoop, TimeSpan took)
    {
        _queue.Spend(took);
        _answer.TrySetResult(new QueryResult { Response = response, GameLoop = gameLoop });
    }

    /// <summary>Fails the query because the game has refused it or has disconnected.</summary>
    public void Fail(RefusedException error, TimeSpan took)
    {
        _queue.Spend(took);
        _answer.TrySetException(error);
    }
}
