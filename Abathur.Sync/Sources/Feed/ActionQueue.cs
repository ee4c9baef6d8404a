using Abathur.Grpc;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources.Feed;

/// <summary>
/// Agents' actions on their way to the game: a bounded queue between the agents, who wait for their answers, and the one task that talks to the
/// game. Counts what became of them.
/// </summary>
public sealed class ActionQueue(TimeProvider clock) : IActionTarget
{
    /// <summary>Requests that may wait for the game.</summary>
    public const int MaxWaiting = 64;

    /// <summary>Actions in one request.</summary>
    public const int MaxActions = 1000;

    /// <summary>How long a game may take to answer. Stepped games wait for their bot, which may think.</summary>
    public static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();
    private readonly Queue<PendingActions> _waiting = new();
    private ActionStatus _status = new();
    private bool _closed;

    /// <summary>Called, on an agent's task, when something waits. Must not block.</summary>
    public Action? Arrived { get; set; }

    /// <summary>What has become of actions so far.</summary>
    public ActionStatus Status
    {
        get
        {
            lock (_gate) return _status.Clone();
        }
    }

    /// <summary>Whether anything waits for the game.</summary>
    public bool AnyWaiting
    {
        get
        {
            lock (_gate) return _waiting.Count > 0;
        }
    }

    /// <inheritdoc/>
    public async Task<ActResult> ActAsync(ActRequest request, CancellationToken cancellation)
    {
        if (request.Actions.Count is 0 or > MaxActions)
        {
            throw new GrpcException(GrpcStatusCode.InvalidArgument, $"{request.Actions.Count} actions at once; 1 to {MaxActions} are allowed");
        }
        var pending = new PendingActions(this, request);
        lock (_gate)
        {
            if (_closed) throw Refuse(request, GrpcStatusCode.FailedPrecondition, "the game is over");
            if (_waiting.Count >= MaxWaiting) throw Refuse(request, GrpcStatusCode.ResourceExhausted, $"{MaxWaiting} requests wait for the game already");
            _waiting.Enqueue(pending);
        }
        Arrived?.Invoke();
        try
        {
            return await pending.Answer.WaitAsync(AnswerTimeout, clock, cancellation);
        }
        catch (TimeoutException)
        {
            throw new GrpcException(GrpcStatusCode.DeadlineExceeded, $"the game did not answer within {AnswerTimeout.TotalSeconds:0} s");
        }
        finally
        {
            // Nobody waits for it any more: the game need not see it either.
            pending.GiveUp();
        }
    }

    /// <summary>The next actions to give to the game; false where none wait. Those that are too late for their agent are refused on the way.</summary>
    /// <param name="gameLoop">Game loop of the newest observation.</param>
    /// <param name="actions">To be completed by the caller.</param>
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
                        GrpcStatusCode.OutOfRange,
                        $"the actions answer game loop {next.Request.GameLoop} and the game is at {gameLoop}: {late} loops late, {next.Request.MaxLateGameLoops} are allowed"));
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

    /// <summary>Refuses what waits and what comes.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _closed = true;
            while (_waiting.TryDequeue(out var next)) next.Fail(Refuse(next.Request, GrpcStatusCode.FailedPrecondition, "the game is over"));
        }
    }

    internal void CountFailed(int actions)
    {
        lock (_gate) _status.Failed += (ulong)actions;
    }

    private GrpcException Refuse(ActRequest request, GrpcStatusCode code, string message)
    {
        lock (_gate) _status.Refused += (ulong)request.Actions.Count;
        return new GrpcException(code, message);
    }
}
