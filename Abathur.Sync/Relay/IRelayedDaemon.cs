using Abathur.Sync.Hub;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;

namespace Abathur.Sync.Relay;

/// <summary>The daemon of a relay: this process, or one elsewhere.</summary>
internal interface IRelayedDaemon
{
    /// <summary>Where it is, for messages.</summary>
    string Place { get; }

    /// <summary>The constant data of the match to relay. Waits for the match.</summary>
    /// <exception cref="DaemonLostException">The daemon does not answer.</exception>
    /// <exception cref="RefusedException">It refuses the request, or is shutting down.</exception>
    Task<Match> MatchAsync(CancellationToken cancellationToken);

    /// <summary>What the daemon is doing.</summary>
    /// <param name="runId">The run of the match; empty: the daemon's own choice.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="DaemonLostException">The daemon does not answer.</exception>
    /// <exception cref="RefusedException">It refuses the request, or is shutting down.</exception>
    Task<Status> StatusAsync(string runId, CancellationToken cancellationToken);

    /// <summary>Reads frames until the subscription ends. Returns why it ended.</summary>
    /// <param name="request">The subscription.</param>
    /// <param name="take">Takes a frame. What it throws ends the subscription, and is thrown here.</param>
    /// <param name="cancellationToken">Ends the subscription.</param>
    /// <exception cref="DaemonLostException">The daemon does not answer.</exception>
    /// <exception cref="RefusedException">It refuses the subscription.</exception>
    Task<SubscriptionEnd> ReadAsync(
        SubscribeRequest request, Func<RelayedFrame, CancellationToken, ValueTask> take, CancellationToken cancellationToken);

    /// <summary>Answers a request of a reader.</summary>
    /// <exception cref="DaemonLostException">The daemon does not answer.</exception>
    /// <exception cref="RefusedException">It refuses the request.</exception>
    Task<Result> AnswerAsync(ClientMessage request, CancellationToken cancellationToken);
}
