using Abathur.Client;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>The games of a proxy, each of which has one client at a time. Thread-safe.</summary>
/// <param name="games">In the order in which they are taken; empty: clients name them.</param>
/// <param name="clock">Clock of all waits.</param>
internal sealed class ProxyGames(IReadOnlyList<HostPort> games, TimeProvider clock)
{
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(250);

    private readonly Lock _gate = new();
    private readonly List<ProxyGame> _taken = [];
    private TaskCompletionSource _freed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Those that have a client, in the order in which they were taken.</summary>
    public ProxyGame[] Taken
    {
        get
        {
            lock (_gate) return [.. _taken];
        }
    }

    /// <summary>Takes the next free game. This waits briefly, because a client may reconnect before its old connection has ended.</summary>
    /// <param name="named">The game that the client has named; null: any.</param>
    /// <param name="cancellationToken">Fires when the daemon shuts down.</param>
    /// <returns>Null: none is free.</returns>
    public async Task<ProxyGame?> TakeAsync(HostPort? named, CancellationToken cancellationToken)
    {
        var started = clock.GetTimestamp();
        while (true)
        {
            Task freed;
            bool isEnding;
            lock (_gate)
            {
                var candidates = named is { } one ? [one] : games;
                foreach (var address in candidates)
                {
                    if (_taken.Exists(each => each.Address == address)) continue;
                    var game = new ProxyGame(address);
                    _taken.Add(game);
                    return game;
                }
                freed = _freed.Task;
                isEnding = _taken.Exists(each => candidates.Contains(each.Address) && each.Relay is { IsEnding: true });
            }
            var left = Patience + (isEnding ? 2 * ProxyRelay.EndTimeout : TimeSpan.Zero) - clock.GetElapsedTime(started);
            if (left <= TimeSpan.Zero) return null;
            await freed.WaitAsync(left, clock, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    /// <summary>Its client has disconnected.</summary>
    public void Free(ProxyGame game)
    {
        lock (_gate)
        {
            _taken.Remove(game);
            _freed.SetResult();
            _freed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    /// <summary>Waits until none has a client.</summary>
    public async Task WaitUntilFreeAsync()
    {
        while (true)
        {
            Task freed;
            lock (_gate)
            {
                if (_taken.Count == 0) return;
                freed = _freed.Task;
            }
            await freed;
        }
    }
}

/// <summary>A game that has a client.</summary>
/// <param name="address">Where it is.</param>
internal sealed class ProxyGame(HostPort address)
{
    private volatile ProxyRelay? _relay;

    /// <summary>Where it is.</summary>
    public HostPort Address => address;

    /// <summary>The connection of its client; null: the game has not answered yet.</summary>
    public ProxyRelay? Relay
    {
        get => _relay;
        set => _relay = value;
    }
}
