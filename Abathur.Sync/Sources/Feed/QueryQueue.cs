using Abathur.Sync.Diagnostics;
using Abathur.Sync.Matches;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Feed;

/// <summary>
/// Agents' queries on their way to the game. A query costs the game time for which the bot waits, so few are let through in each game loop,
/// of all agents together.
/// </summary>
/// <param name="gameLoop">Returns the game loop of the newest observation.</param>
/// <param name="clock">Clock of times.</param>
public sealed class QueryQueue(Func<uint> gameLoop, TimeProvider clock) : IQueryTarget
{
    /// <summary>Requests that are let through in a game loop.</summary>
    public const int MaxInALoop = 4;

    /// <summary>Single queries in a request that is let through. Larger requests are not.</summary>
    public const int MaxInARequest = 32;

    /// <summary>Time of the game after which no more are let through in a game loop.</summary>
    public static readonly TimeSpan MaxTimeInALoop = TimeSpan.FromMilliseconds(2);

    private readonly Lock _gate = new();
    private readonly Queue<PendingQuery> _waiting = new();
    private uint _loop;
    private int _inLoop;
    private TimeSpan _timeInLoop;
    private bool _closed;

    /// <summary>Called when a query was queued, on the task of an agent. Must not block.</summary>
    public System.Action? Arrived { get; set; }

    /// <summary>How long the game took for each query.</summary>
    public DurationHistogram Times { get; } = new();

    /// <inheritdoc/>
    public async Task<QueryResult?> TryQueryAsync(RequestQuery query, CancellationToken cancellationToken)
    {
        if (query.Pathing.Count + query.Abilities.Count + query.Placements.Count > MaxInARequest) return null;
        var pending = new PendingQuery(this, query);
        lock (_gate)
        {
            if (_closed) throw GameOver;
            Advance();
            if (_inLoop >= MaxInALoop || _timeInLoop >= MaxTimeInALoop || _waiting.Count >= MaxInALoop) return null;
            _inLoop++;
            _waiting.Enqueue(pending);
        }
        Arrived?.Invoke();
        try
        {
            return await pending.Answer.WaitAsync(ActionQueue.AnswerTimeout, clock, cancellationToken);
        }
        catch (TimeoutException)
        {
            throw new RefusedException(
                RequestStatus.DeadlineExceeded, $"the game did not answer within {ActionQueue.AnswerTimeout.TotalSeconds:0} s");
        }
        finally
        {
            pending.IsGivenUp = true;
        }
    }

    /// <summary>The next query for the game, which the caller completes; false if none waits.</summary>
    public bool TryTake(out PendingQuery query)
    {
        lock (_gate)
        {
            while (_waiting.TryDequeue(out query!))
            {
                if (!query.IsGivenUp) return true;
            }
            return false;
        }
    }

    /// <summary>Refuses all queued and later queries.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _closed = true;
            while (_waiting.TryDequeue(out var next)) next.Fail(GameOver, TimeSpan.Zero);
        }
    }

    internal void Spend(TimeSpan took)
    {
        if (took == TimeSpan.Zero) return;
        Times.Add(took);
        lock (_gate)
        {
            Advance();
            _timeInLoop += took;
        }
    }

    private static RefusedException GameOver => new(RequestStatus.FailedPrecondition, "the game is over");

    private void Advance()
    {
        var now = gameLoop();
        if (now == _loop) return;
        (_loop, _inLoop, _timeInLoop) = (now, 0, TimeSpan.Zero);
    }
}
