using Abathur.Sync.Matches;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources.Feed;

/// <summary>
/// Agents' actions on their way to the game: a bounded queue between the agents, which wait for their answers, and the single task that
/// sends them to the game. Counts their outcomes.
/// </summary>
public sealed class ActionQueue(TimeProvider clock) : IActionTarget
{
    /// <summary>Maximum number of requests in the queue.</summary>
    public const int MaxWaiting = 64;

    /// <summary>Maximum number of actions in one request.</summary>
    public const int MaxActions = 1000;

    /// <summary>How long a game may take to answer. Stepped games wait for their bot, which may take long.</summary>
    public static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();
    private readonly Queue<PendingActions> _waiting = new();
    private ActionStatus _status = new();
    private bool _closed;

    /// <summary>Called when actions were queued, on the task of an agent. Must not block.</summary>
    public Action? Arrived { get; set; }

    /// <summary>Outcomes of the actions so far.</summary>
    public ActionStatus Status
    {
        get
        {
            lock (_gate) return _status.Clone();
        }
    }

    /// <summary>Whether the queue is not empty.</summary>
    public bool AnyWaiting
    {
        get
        {
            lock (_gate) return _waiting.Count > 0;
        }
    }

    /// <inheritdoc/>
    public async Task<ActResult> ActAsync(ActRequest request, CancellationToken cancellationToken)
    {
        if (request.Actions.Count is 0 or > MaxActions)
        {
            throw new RefusedException(
                RequestStatus.InvalidArgument, $"{request.Actions.Count} actions at once; 1 to {MaxActions} are allowed");
        }
        var pending = new PendingActions(this, request);
        lock (_gate)
        {
            if (_closed) throw Refuse(request, RequestStatus.FailedPrecondition, "the game is over");
            if (_waiting.Count >= MaxWaiting)
                throw Refuse(request, RequestStatus.ResourceExhausted, $"{MaxWaiting} requests already wait for the game");
            _waiting.Enqueue(pending);
        }
        Arrived?.Invoke();
        try
        {
            return await pending.Answer.WaitAsync(AnswerTimeout, clock, cancellationToken);
        }
        catch (TimeoutException)
        {
            throw new RefusedException(RequestStatus.DeadlineExceeded, $"the game did not answer within {AnswerTimeout.TotalSeconds:0} s");
        }
        finally
        {
            // The agent does not wait any more, so the game need not get the actions.
            pending.GiveUp();
        }
    }

    /// <summary>The next actions for the game; false if the queue is empty. Actions that exceed their maximum lateness are
    /// refused.</summary>
    /// <param name="gameLoop">Game loop of the newest observation.</param>
    /// <param name="actions">The actions, which the caller completes.</param>
    public bool TryTake(uint gameLoop, out PendingActions actions)
    {
        lock (_gate)
        {
            while (_waiting.TryDequeue(out var next))
            {
                if (next.IsGivenUp) continue;
                var late = gameLoop > next.Request.GameLoop ? gameLoop - next.Request.GameLoop : 0;
                if (next.Request.MaxLateGameLoops > 0 && late > next.Request.MaxLateGameLoops)
                {
                    next.Fail(Refuse(
                        next.Request,
                        RequestStatus.OutOfRange,
                        $"the actions answer game loop {next.Request.GameLoop} and the game is at {gameLoop}: {late} loops late, "
                            + $"{next.Request.MaxLateGameLoops} are allowed"));
                    continue;
                }
                next.Take(gameLoop, late);
                _status.Given += (ulong)next.Request.Actions.Count;
                if (late > 0) _status.Late += (ulong)next.Request.Actions.Count;
                actions = next;
                return true;
            }
        }
        actions = null!;
        return false;
    }

    /// <summary>Refuses all queued and later actions.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _closed = true;
            while (_waiting.TryDequeue(out var next)) next.Fail(Refuse(next.Request, RequestStatus.FailedPrecondition, "the game is over"));
        }
    }

    internal void CountFailed(int actions)
    {
        lock (_gate) _status.Failed += (ulong)actions;
    }

    private RefusedException Refuse(ActRequest request, RequestStatus code, string message)
    {
        lock (_gate) _status.Refused += (ulong)request.Actions.Count;
        return new RefusedException(code, message);
    }
}
