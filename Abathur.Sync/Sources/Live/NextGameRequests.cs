using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Requests;

namespace Abathur.Sync.Sources.Live;

/// <summary>Requests of agents for the next game. At most one waits. Thread-safe.</summary>
internal sealed class NextGameRequests : INextGame
{
    private readonly Lock _gate = new();
    private TaskCompletionSource _arrived = NewSource();
    private TaskCompletionSource? _taken;
    private uint? _seed;
    private LiveMatch? _running;
    private SubscriptionEnd? _end;

    /// <inheritdoc/>
    public Task StartNextAsync(uint? seed, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_end is not null) throw Refusal(_end);
            _seed = seed;
            _taken ??= NewSource();
            _running?.Leave();
            _arrived.TrySetResult();
            return _taken.Task.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Waits for a request, answers it, and returns its seed. No match may run.</summary>
    /// <exception cref="OperationCanceledException">The daemon is shutting down.</exception>
    public async Task<uint?> TakeAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            await _arrived.Task.WaitAsync(cancellationToken);
            lock (_gate)
            {
                _arrived = NewSource();
                if (_taken is null) continue;
                _taken.SetResult();
                _taken = null;
                return _seed;
            }
        }
    }

    /// <summary>Lets requests end a match until it is over; null: none runs.</summary>
    public void Run(LiveMatch? match)
    {
        lock (_gate)
        {
            _running = match;
            if (_taken is not null) match?.Leave();
        }
    }

    /// <summary>Refuses requests from now on: no game begins any more.</summary>
    public void End(SubscriptionEnd end)
    {
        lock (_gate)
        {
            _end ??= end;
            _taken?.SetException(Refusal(_end));
            _taken = null;
        }
    }

    private static RefusedException Refusal(SubscriptionEnd end) => new(
        end.Reason == SubscriptionEndReason.SourceLost ? RequestStatus.Aborted : RequestStatus.Unavailable,
        $"no game begins any more: {end.Message}");

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
